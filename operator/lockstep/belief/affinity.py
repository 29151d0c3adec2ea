"""What required affinity and anti-affinity among pods, and ``placement``, mean for a gang that is planned.

kube-scheduler looks at one pod after the other, Lockstep at the gang as a whole, by the same rules:

- Pods of others near which members have to be: they go to these pods' domains, and nowhere else.
- Where there are none, members of the gang stand in for them. Those that ask for their own kind, be it by way of other
  roles, are all in one domain, as behind the first pod of a series; others are each near a member for which they ask.
- From pods of others, and from each other, members keep apart as their terms say, whoever of the two has the term.
"""

from collections.abc import Iterator, Mapping

from coschedule import Term, TermKind
from lockstep.belief.kinds import Kind, kinds_now
from lockstep.belief.near_pods import nodes_with_others, question
from lockstep.belief.state import State
from lockstep.belief.whereabouts import Question
from lockstep.facts.gang import GangFact

Bar = tuple[str, frozenset[str]]


def bars(state: State, gang: GangFact, kind: Kind) -> Iterator[Bar]:
    """The nodes that members of that kind may not use: for the pods that are there, or for want of them."""
    assert gang.spec is not None, "a refused gang is not planned"
    for key in sorted({gang.spec.one_per, gang.spec.all_in, *(term.topology_key for term in kind.near)} - {""}):
        in_a_domain = frozenset().union(*state.nodes.domains.by_value(key).values())
        yield f"without the label {key}, by which members are placed", state.nodes.domains.without(in_a_domain)
    for term in kind.apart:
        nodes = nodes_with_others(state, gang, question(state, [term]))
        yield "near a pod that its own anti-affinity avoids", state.nodes.domains.near(term.topology_key, nodes)
    if not kind.near:
        return
    near = _near_others(state, gang, kind)
    if any(near) or not _stand_ins(state, kind, kinds_now(state, gang)):
        allowed = frozenset.intersection(*near)
        yield "without a pod near that its affinity asks for", state.nodes.domains.without(allowed)


def terms_of(state: State, gang: GangFact) -> tuple[Term, ...]:
    """What the gang's members require of each other."""
    spec = gang.spec
    assert spec is not None, "a refused gang is not planned"
    if not spec.minds_pods:
        return ()
    kinds = kinds_now(state, gang)
    everybody = frozenset(kind.role for kind in kinds)
    placement = ((TermKind.APART, spec.one_per), (TermKind.TOGETHER, spec.all_in))
    terms = [_term(how, key, everybody, everybody) for how, key in placement if key]
    return tuple(dict.fromkeys([*terms, *_apart(state, kinds), *_together(state, gang, kinds)]))


def _apart(state: State, kinds: tuple[Kind, ...]) -> Iterator[Term]:
    for kind in kinds:
        for term in kind.apart:
            avoided = _wanted_among(kinds, question(state, [term]))
            if avoided:
                yield _term(TermKind.APART, term.topology_key, frozenset({kind.role}), avoided)


def _together(state: State, gang: GangFact, kinds: tuple[Kind, ...]) -> Iterator[Term]:
    """Members that stand in for others' pods, for each kind that has none near it to go to."""
    without = {kind.role: kind for kind in kinds if kind.near and not any(_near_others(state, gang, kind))}
    asks = {role: _stand_ins(state, kind, kinds) for role, kind in without.items()}
    for role, kind in without.items():
        ring = frozenset(other for other in _reached(role, asks) if role in _reached(other, asks))
        for term in kind.near if asks[role] else ():
            if role in ring:
                yield _term(TermKind.TOGETHER, term.topology_key, ring, ring)
            else:
                yield _term(TermKind.TOGETHER, term.topology_key, frozenset({role}), asks[role])


def _reached(role: str, asks: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The roles for which that one asks, and those for which they ask in turn."""
    reached, new = frozenset[str](), asks.get(role, frozenset())
    while new:
        reached |= new
        new = frozenset().union(*(asks.get(one, frozenset()) for one in new)) - reached
    return reached


def _near_others(state: State, gang: GangFact, kind: Kind) -> list[frozenset[str]]:
    """For each term of affinity the nodes near pods that all of them mean."""
    nodes = nodes_with_others(state, gang, question(state, kind.near))
    return [state.nodes.domains.near(term.topology_key, nodes) for term in kind.near]


def _stand_ins(state: State, kind: Kind, kinds: tuple[Kind, ...]) -> frozenset[str]:
    return _wanted_among(kinds, question(state, kind.near))


def _wanted_among(kinds: tuple[Kind, ...], wanted: Question) -> frozenset[str]:
    return frozenset(kind.role for kind in kinds if all(one.has(kind.labels, kind.namespace) for one in wanted))


def _term(kind: TermKind, topology_key: str, roles: frozenset[str], towards: frozenset[str]) -> Term:
    return Term(kind=kind, topology_key=topology_key, roles=roles, towards=towards)
