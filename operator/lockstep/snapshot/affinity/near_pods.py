"""The nodes of other pods that a gang's terms select: pods on nodes, and reserved members of other gangs."""

from collections.abc import Collection, Iterable

from lockstep.belief.holding.reservation import next_attempt
from lockstep.belief.pods.kinds import MemberKind, kinds_of
from lockstep.belief.pods.pod_effects import takes_room
from lockstep.belief.pods.pod_questions import PodDemand, Question, WantedPods
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.pods.pod import PodFact, PodTerm


def kinds_now(state: State, gang: AcceptedGang) -> tuple[MemberKind, ...]:
    """The members of each role in the attempt that holds nodes, or in the next one."""
    reserved = state.reservations.get(gang.key)
    attempt = next_attempt(gang.status, state.members(gang).values()) if reserved is None else reserved.attempt
    return kinds_of(gang, attempt)


def question(state: State, terms: Iterable[PodTerm]) -> Question:
    """The query for pods that all these terms select, as kube-scheduler combines several terms of affinity."""
    return tuple(WantedPods(term.selector, _namespaces(state, term)) for term in terms)


def own_pods(state: State, gang: GangFact) -> list[PodFact]:
    """The gang's own pods of any attempt that are on a node, or will be soon. They do not count as other pods."""
    state.counts.pods_nearby_now()
    return [*filter(takes_room, state.members(gang).values()), *state.counts.holders.coming.of(gang.key)]


def nodes_with_others(state: State, demands: Iterable[PodDemand], own: Collection[PodFact]) -> set[str]:
    """The nodes with pods that any of these queries selects now or soon, without the gang's own pods."""
    return state.counts.pods_nearby_now().pods_by_label.nodes_of(demands, own)


def _namespaces(state: State, term: PodTerm) -> frozenset[str] | None:
    if term.namespace_selector is None:
        return frozenset(term.namespaces)
    if not term.namespace_selector:
        return None
    chosen = state.namespaces.chosen_by(term.namespace_selector)
    return chosen.union(term.namespaces) if term.namespaces else chosen
