"""A gang's members as their neighbours see them: by labels, and by what they require of the pods around them."""

from collections.abc import Mapping
from typing import NamedTuple

from lockstep.api.membership import member_labels
from lockstep.api.names import RANK_LABEL
from lockstep.belief.pod_terms import term_of
from lockstep.belief.reservation import next_attempt
from lockstep.belief.state import State
from lockstep.facts.gang import GangFact
from lockstep.facts.pod import PodTerm, WrittenTerm


class Kind(NamedTuple):
    """Members of one role. Whoever looks at single ranks is rare: what holds for the first holds for all."""

    role: str
    namespace: str
    labels: Mapping[str, str]
    near: tuple[PodTerm, ...]
    apart: tuple[PodTerm, ...]


def kinds_of(gang: GangFact, attempt: int) -> tuple[Kind, ...]:
    """The members of each role in that attempt."""
    assert gang.spec is not None, "a refused gang has no members"
    labels, namespace = {**member_labels(gang, attempt), RANK_LABEL: "0"}, gang.key.namespace

    def terms(written: tuple[WrittenTerm, ...]) -> tuple[PodTerm, ...]:
        return tuple(term_of(one, labels, namespace) for one in written)

    near, apart = gang.spec.pod_affinity
    return (Kind("", namespace, labels, terms(near), terms(apart)),)


def kinds_now(state: State, gang: GangFact) -> tuple[Kind, ...]:
    """The members of each role in the attempt that holds nodes, or in the next one."""
    reserved = state.reservations.get(gang.key)
    if reserved is not None:
        return kinds_of(gang, reserved.attempt)
    return kinds_of(gang, next_attempt(gang.status, state.members(gang).values()))
