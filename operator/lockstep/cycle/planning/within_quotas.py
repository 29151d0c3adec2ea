"""The gangs that wait, as ResourceQuotas let them be planned, and those that they keep from starting at all."""

from collections.abc import Generator, Iterable, Mapping
from typing import NamedTuple

from coschedule import GangKey, Unplaceable
from lockstep.belief.common.steps import at_once
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.snapshot.quotas.quota_bounds import Narrowed, QuotaBounds, QuotaShort
from lockstep.snapshot.snapshots import Rescue


class WithinQuotas(NamedTuple):
    """``gangs`` with no more members than quotas allow; who is not among them is ``refused``, or was rescued."""

    gangs: list[GangFact]
    narrowed: Mapping[GangKey, Narrowed]
    refused: list[Unplaceable]


def within_quotas(state: State, gangs: Iterable[GangFact], rescue: Rescue) -> WithinQuotas:
    """Look at each gang by itself: who of several gets what is left is decided where they start, in their order."""
    return at_once(keeping_within_quotas(state, gangs, rescue))


def keeping_within_quotas(
    state: State, gangs: Iterable[GangFact], rescue: Rescue
) -> Generator[None, None, WithinQuotas]:
    """The same in steps, one a gang, between which belief may change."""
    bounds, found = QuotaBounds(state), WithinQuotas([], narrowed := {}, [])
    for gang in gangs:
        yield
        try:
            bound = bounds.bound(gang)
        except Exception as error:  # noqa: BLE001 - one gang costs no other its plan
            rescue(gang.key, error)
            continue
        if isinstance(bound, QuotaShort):
            fits_empty = None if bound.suits_without_others else False
            found.refused.append(Unplaceable(gang=gang.key, refusal=bound, fits_empty=fits_empty))
            continue
        found.gangs.append(bound.gang)
        if bound.narrowed is not None:
            narrowed[gang.key] = bound.narrowed
    return found
