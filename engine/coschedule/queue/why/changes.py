"""Changes that would let a gang start sooner: one at a time, each checked by planning again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from coschedule.queue.constraints.terms import Constraints, Taint, Toleration
from coschedule.queue.constraints.tolerance import Tolerance
from coschedule.queue.plan import plan
from coschedule.queue.preemption.worlds import with_gangs, without
from coschedule.queue.problem.decisions import Decision, Placement, Plan
from coschedule.queue.problem.gangs import GangKey, PendingGang, Role
from coschedule.queue.problem.running import RunningGang
from coschedule.queue.problem.sizes import Sizes
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.problem.terms import Term
from coschedule.queue.why.following import before, decision_of, turn_of

MOST_GANGS = 8
"""The most gangs whose absence is tried, one at a time. Gangs on the most of the nodes in question come first."""

_MOST_TAINTS = 4
_OF_KUBERNETES = "node.kubernetes.io/"


@dataclass(frozen=True, slots=True, kw_only=True)
class GangEnds:
    """A running gang ends now."""

    gang: RunningGang


@dataclass(frozen=True, slots=True, kw_only=True)
class GangLeaves:
    """A waiting gang in front leaves the queue."""

    gang: GangKey


@dataclass(frozen=True, slots=True, kw_only=True)
class FewerMembers:
    """The minimum of a role becomes 1."""

    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectorDropped:
    """Members do not select nodes by this label."""

    key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AffinityDropped:
    """Members have no required affinity to nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaintTolerated:
    """Members tolerate a taint that some nodes have."""

    taint: Taint


@dataclass(frozen=True, slots=True, kw_only=True)
class TermDropped:
    """Members do not obey a term among themselves."""

    term: Term


ChangeOfGang = FewerMembers | SelectorDropped | AffinityDropped | TaintTolerated | TermDropped
Change = GangEnds | GangLeaves | ChangeOfGang


def possible_changes(
    snapshot: Snapshot, made: Plan, gang: GangKey, *, running: Sequence[RunningGang] = ()
) -> tuple[Change, ...]:
    """List changes that might each let a gang start sooner than in the plan that was ``made``.

    ``running`` are running gangs; where their end is known, their resources are also in the snapshot's releases.
    """
    pending = _pending(snapshot, gang)
    in_question = _nodes_in_question(snapshot, made, gang)
    in_front = [_leaves(one, in_question) for one in before(snapshot, made, gang) if isinstance(one, Placement)]
    holding = [_ends(snapshot, one, in_question) for one in running]
    concerned = sorted((one for one in (*holding, *in_front) if one.nodes), key=lambda one: (-one.nodes, one.key))
    return (*(one.change for one in concerned[:MOST_GANGS]), *_of_the_gang_itself(snapshot, pending))


def decision_if(snapshot: Snapshot, gang: GangKey, change: Change) -> Decision:
    """Plan again with one change, and return the decision on the gang."""
    priority = _pending(snapshot, gang).priority
    # Gangs of lower priority change nothing.
    changed = _with(snapshot, gang, change)
    return decision_of(plan(with_gangs(changed, (one for one in changed.gangs if one.priority >= priority))), gang)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Concerned:
    """A running gang, or a waiting gang in front, and the number of nodes in question on which it is."""

    key: GangKey
    nodes: int
    change: Change


def _pending(snapshot: Snapshot, gang: GangKey) -> PendingGang:
    return {one.key: one for one in snapshot.gangs}[gang]


def _nodes_in_question(snapshot: Snapshot, made: Plan, gang: GangKey) -> frozenset[str]:
    """Return the nodes on which the gang is planned; without a placement, all that pass its constraints."""
    decision = decision_of(made, gang)
    if isinstance(decision, Placement):
        return frozenset(members.node for members in decision.members)
    turn = turn_of(snapshot, made, gang)
    masks = [turn.passes(role) for role in turn.gang.roles]
    return frozenset(name for node, name in enumerate(snapshot.nodes.names) if any(mask[node] for mask in masks))


def _leaves(placement: Placement, in_question: frozenset[str]) -> _Concerned:
    nodes = in_question & {members.node for members in placement.members}
    return _Concerned(key=placement.gang, nodes=len(nodes), change=GangLeaves(gang=placement.gang))


def _ends(snapshot: Snapshot, gang: RunningGang, in_question: frozenset[str]) -> _Concerned:
    nodes = in_question & {snapshot.nodes.names[node] for node, _ in gang.holds}
    return _Concerned(key=gang.key, nodes=len(nodes), change=GangEnds(gang=gang))


def _of_the_gang_itself(snapshot: Snapshot, gang: PendingGang) -> Iterator[Change]:
    role = _role_to_shrink(gang)
    if role.sizes.least > _smallest(role).least:
        yield FewerMembers(role=role.name)
    selectors = Counter(entry for role in gang.roles for entry in role.constraints.node_selector)
    yield from (SelectorDropped(key=key, value=value) for key, value in sorted(selectors))
    if any(role.constraints.affinity is not None for role in gang.roles):
        yield AffinityDropped()
    yield from (TaintTolerated(taint=taint) for taint in _taints(snapshot, gang))
    yield from (TermDropped(term=term) for term in gang.terms)


def _role_to_shrink(gang: PendingGang) -> Role:
    """Return the role whose size may vary, or else the role with most members; at most one role may vary."""
    return max(gang.roles, key=lambda role: (role.sizes.vary, role.sizes.least))


def _smallest(role: Role) -> Sizes:
    return replace(role.sizes, minimum=1)


def _taints(snapshot: Snapshot, gang: PendingGang) -> list[Taint]:
    """List the few taints that exclude the most nodes, without Kubernetes' own taints for node problems."""
    tolerances = [Tolerance(role.constraints.tolerations) for role in gang.roles]
    counts = Counter(
        taint
        for taints in snapshot.nodes.taints
        for taint in set(taints)
        if not taint.key.startswith(_OF_KUBERNETES)
        and taint.effect in ("NoSchedule", "NoExecute")
        and not all(tolerance.covers(taint) for tolerance in tolerances)
    )
    return [taint for taint, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_MOST_TAINTS]]


def _with(snapshot: Snapshot, gang: GangKey, change: Change) -> Snapshot:
    match change:
        case GangEnds(gang=running):
            return without(snapshot, [replace(running, grace=0.0, disrupts=())])
        case GangLeaves(gang=other):
            return with_gangs(snapshot, (one for one in snapshot.gangs if one.key != other))
        case FewerMembers() | SelectorDropped() | AffinityDropped() | TaintTolerated() | TermDropped():
            gangs = (_changed(one, change) if one.key == gang else one for one in snapshot.gangs)
            return with_gangs(snapshot, gangs)
        case _:
            assert_never(change)


def _changed(gang: PendingGang, change: ChangeOfGang) -> PendingGang:
    """Return the gang with changed requests and no kept placement, since that was for the old requests."""
    match change:
        case FewerMembers(role=name):
            roles = (_shrunk(role) if role.name == name else role for role in gang.roles)
        case TermDropped(term=term):
            return replace(gang, kept=None, terms=tuple(one for one in gang.terms if one != term))
        case SelectorDropped() | AffinityDropped() | TaintTolerated():
            roles = (replace(role, constraints=_loosened(role.constraints, change)) for role in gang.roles)
        case _:
            assert_never(change)
    return replace(gang, kept=None, roles=tuple(roles))


def _shrunk(role: Role) -> Role:
    return replace(role, sizes=_smallest(role))


def _loosened(constraints: Constraints, change: SelectorDropped | AffinityDropped | TaintTolerated) -> Constraints:
    match change:
        case SelectorDropped(key=key, value=value):
            kept = tuple(entry for entry in constraints.node_selector if entry != (key, value))
            return replace(constraints, node_selector=kept)
        case AffinityDropped():
            return replace(constraints, affinity=None)
        case TaintTolerated(taint=taint):
            toleration = Toleration(taint.key, "Equal", taint.value, taint.effect)
            return replace(constraints, tolerations=(*constraints.tolerations, toleration))
        case _:
            assert_never(change)
