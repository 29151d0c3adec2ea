"""Where other pods are of which a gang's terms speak: those on a node, and members of gangs that are about to be."""

from collections.abc import Iterable, Iterator

from coschedule import GangKey
from lockstep.api.label_selectors import selects
from lockstep.belief.kinds import Kind, kinds_of
from lockstep.belief.neighbours import takes_room
from lockstep.belief.pod_terms import means
from lockstep.belief.state import State
from lockstep.belief.whereabouts import Question, Wanted
from lockstep.facts.gang import GangFact
from lockstep.facts.pod import PodFact, PodTerm


def question(state: State, terms: Iterable[PodTerm]) -> Question:
    """The pods that all these terms mean, as kube-scheduler understands several terms of affinity."""
    return tuple(Wanted(term.selector, _namespaces(state, term)) for term in terms)


def own_pods(state: State, gang: GangFact) -> list[PodFact]:
    """The gang's own pods that are on a node, of whichever attempt: they are nobody else's."""
    return [pod for pod in state.members(gang).values() if takes_room(pod)]


def nodes_with_others(state: State, gang: GangFact, wanted: Question) -> set[str]:
    """The nodes that have such pods, or are about to have them, besides the gang's own."""
    nodes = state.neighbours.whereabouts.nodes_of(wanted, own_pods(state, gang))
    for kind, its_nodes in _about_to_be_bound(state, gang, state.reservations):
        if all(one.has(kind.labels, kind.namespace) for one in wanted):
            nodes |= its_nodes
    return nodes


def kept_away_by_reserved(state: State, gang: GangFact, kind: Kind) -> frozenset[str]:
    """The nodes near members of other gangs, about to be bound, that want none of this kind near them."""
    names: frozenset[str] = frozenset()
    labels_of_namespace = state.namespaces.get(kind.namespace, {})
    for other, its_nodes in _about_to_be_bound(state, gang, state.keep_others_away):
        for term in other.apart:
            if means(term, kind.labels, kind.namespace, labels_of_namespace):
                names |= state.nodes.domains.near(term.topology_key, its_nodes)
    return names


def _about_to_be_bound(state: State, gang: GangFact, holding: Iterable[GangKey]) -> Iterator[tuple[Kind, set[str]]]:
    """The members of those gangs that hold nodes, but for one, while any of anybody's is not seen bound yet."""
    if not state.ledger.assumed:
        return
    for key in holding:
        other, reservation = state.gangs.get(key), state.reservations[key]
        if key == gang.key or other is None or other.spec is None:
            continue
        charged = {node for node, _ in state.ledger.charged(reservation.gang_uid, reservation.attempt)}
        for kind in kinds_of(other, reservation.attempt):
            yield kind, charged & {entry.node for entry in reservation.members if entry.role == kind.role}


def _namespaces(state: State, term: PodTerm) -> frozenset[str] | None:
    if term.namespace_selector is None:
        return frozenset(term.namespaces)
    if not term.namespace_selector:
        return None
    chosen = (name for name, labels in state.namespaces.items() if selects(term.namespace_selector, labels))
    return frozenset((*term.namespaces, *chosen))
