"""Computes where required affinity and anti-affinity, and ``placement``, allow the members of a gang.

kube-scheduler reads one pod after the other. Lockstep reads the gang as a whole, by the same rules:

- If other pods match a member's affinity, the member goes to the domains of these pods, and nowhere else.
- If none match, members of the gang stand in for them. Members whose affinity selects their own kind, directly or
  through other roles, are all in one domain. Each other member is near a member that it selects.
- Members keep apart from other pods, and from each other, as the anti-affinity of either side requires.
"""

from collections.abc import Generator, Iterator, Mapping
from functools import cached_property

from coschedule import Term, TermKind
from lockstep.belief.common.steps import Steps
from lockstep.belief.pods.kinds import MemberKind
from lockstep.belief.pods.pod_questions import PodDemand, Question, words_of
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.pods.pod import PodFact
from lockstep.snapshot.affinity.near_pods import kinds_now, nodes_with_others, own_pods, question
from lockstep.snapshot.affinity.own_domains import nodes_of_its_pods

Bar = tuple[str, frozenset[str]]

# The cost of one query about pods, in pieces of work. A piece takes about a microsecond.
_PIECES_OF_QUESTION = 100


class Surroundings:
    """The pods around a gang's members. Each query is answered once, and its answer is kept."""

    def __init__(self, state: State, gang: AcceptedGang) -> None:
        self._state = state
        self._gang = gang
        self._spec = gang.spec
        self._answers: dict[Question, frozenset[str]] = {}
        self._roles: dict[Question, frozenset[str]] = {}

    @cached_property
    def kinds(self) -> tuple[MemberKind, ...]:
        """For each role, the labels and the affinity of its members."""
        return kinds_now(self._state, self._gang)

    @cached_property
    def own(self) -> list[PodFact]:
        """The gang's own pods."""
        return own_pods(self._state, self._gang)

    def answering(self, steps: Steps) -> Generator[None, None, None]:
        """Answer all queries of the gang about other pods, in steps: there may be many queries, and large ones."""
        if self._spec.minds_pods:
            yield from self._state.counts.pods_nearby_now().pods_by_label.making_ready(steps)
            for kind in self.kinds:
                for term in kind.apart:
                    yield from self._answering(question(self._state, [term]), steps)
                yield from self._answering(question(self._state, kind.near), steps)

    def _answering(self, asked: Question, steps: Steps) -> Generator[None, None, None]:
        demand, words = PodDemand(asked), words_of(asked)
        self._roles[asked] = self._roles_of(demand)
        if steps.are_due(words):
            yield
        yield from self._state.counts.pods_nearby_now().pods_by_label.reading_values(demand, steps)
        self._answers[asked] = self._nodes_of(demand)
        if steps.are_due(_PIECES_OF_QUESTION + words):
            yield

    def bars(self, role: RoleSpec) -> Iterator[Bar]:
        """Sets of nodes that members of the role may not use, each with its reason.

        Other pods exclude members from these nodes, or a label or pods that members require are missing there.
        """
        [kind] = [kind for kind in self.kinds if kind.role == role.name]
        yield "near a pod whose anti-affinity keeps it away", self._excluded_by_others(kind)
        if not self._spec.minds_pods:
            return
        domains = self._state.nodes.domains
        for key in sorted({self._spec.one_per, self._spec.all_in, *(term.topology_key for term in kind.near)} - {""}):
            yield f"without the label {key}, by which members are placed", domains.without_label(key)
        if self._spec.one_per:
            own = nodes_of_its_pods(self._state, self._gang)
            yield "in a domain with another pod of its Gang", domains.near(self._spec.one_per, own)
        avoided = [domains.near(key, nodes) for key, nodes in self._avoided(kind).items()]
        yield "near a pod that its own anti-affinity avoids", frozenset().union(*avoided)
        if not kind.near:
            return
        near = self._near_others(kind)
        if any(near) or not self._stand_ins(kind):
            yield "without a pod nearby that its affinity requires", domains.without(frozenset.intersection(*near))

    def terms(self) -> tuple[Term, ...]:
        """The requirements of the gang's members for each other."""
        if not self._spec.minds_pods:
            return ()
        everybody = frozenset(kind.role for kind in self.kinds)
        placement = ((TermKind.APART, self._spec.one_per), (TermKind.TOGETHER, self._spec.all_in))
        terms = [_term(how, key, everybody, everybody) for how, key in placement if key]
        return tuple(dict.fromkeys([*terms, *self._apart(), *self._together()]))

    def _excluded_by_others(self, kind: MemberKind) -> frozenset[str]:
        """The nodes that other pods' anti-affinity excludes."""
        state = self._state
        of_namespace = state.namespaces.get(kind.namespace, {})
        anti_affinity = state.counts.pods_nearby_now().anti_affinity
        return anti_affinity.names(kind.labels, kind.namespace, of_namespace, state.nodes.domains, self.own)

    def _avoided(self, kind: MemberKind) -> Mapping[str, set[str]]:
        """By topology key, the nodes with pods that the members' anti-affinity selects.

        A pod whose labels are not read counts as one of these pods, if a term selects its namespace.
        """
        nodes: dict[str, set[str]] = {}
        for term in kind.apart:
            [asked] = question(self._state, [term])
            there = nodes.setdefault(term.topology_key, set())
            there |= self._nodes_with((asked,))
            unread = self._state.counts.pods_nearby.unread.values()
            there |= {pod.node for pod in unread if asked.is_about(pod.key.namespace)}
        return nodes

    def _apart(self) -> Iterator[Term]:
        for kind in self.kinds:
            for term in kind.apart:
                avoided = self._wanted_among(question(self._state, [term]))
                if avoided:
                    yield _term(TermKind.APART, term.topology_key, frozenset({kind.role}), avoided)

    def _together(self) -> Iterator[Term]:
        """The affinity terms that members of the gang have to satisfy, because no other pods satisfy them."""
        without = {kind.role: kind for kind in self.kinds if kind.near and not any(self._near_others(kind))}
        asks = {role: self._stand_ins(kind) for role, kind in without.items()}
        for role, kind in without.items():
            ring = frozenset(other for other in _reached(role, asks) if role in _reached(other, asks))
            for term in kind.near if asks[role] else ():
                if role in ring:
                    yield _term(TermKind.TOGETHER, term.topology_key, ring, ring)
                else:
                    yield _term(TermKind.TOGETHER, term.topology_key, frozenset({role}), asks[role])

    def _near_others(self, kind: MemberKind) -> list[frozenset[str]]:
        """For each topology key of the members' affinity, the nodes near pods that all terms of the affinity select."""
        nodes = self._nodes_with(question(self._state, kind.near))
        labels = dict.fromkeys(term.topology_key for term in kind.near)
        return [self._state.nodes.domains.near(label, nodes) for label in labels]

    def _stand_ins(self, kind: MemberKind) -> frozenset[str]:
        return self._wanted_among(question(self._state, kind.near))

    def _wanted_among(self, asked: Question) -> frozenset[str]:
        """The roles whose members match the query."""
        if asked not in self._roles:
            self._roles[asked] = self._roles_of(PodDemand(asked))
        return self._roles[asked]

    def _nodes_with(self, asked: Question) -> frozenset[str]:
        if asked not in self._answers:
            self._answers[asked] = self._nodes_of(PodDemand(asked))
        return self._answers[asked]

    def _roles_of(self, demand: PodDemand) -> frozenset[str]:
        return frozenset(kind.role for kind in self.kinds if demand.takes(kind.labels, kind.namespace))

    def _nodes_of(self, demand: PodDemand) -> frozenset[str]:
        return frozenset(nodes_with_others(self._state, [demand], self.own))


def _reached(role: str, asks: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The roles that this role's affinity selects, directly or through other roles."""
    reached, new = frozenset[str](), asks.get(role, frozenset())
    while new:
        reached |= new
        new = frozenset().union(*(asks.get(one, frozenset()) for one in new)) - reached
    return reached


def _term(kind: TermKind, topology_key: str, roles: frozenset[str], towards: frozenset[str]) -> Term:
    return Term(kind=kind, topology_key=topology_key, roles=roles, towards=towards)
