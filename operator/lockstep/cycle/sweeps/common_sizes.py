"""How many members the next runs of a sweep get, and how many runs may then run side by side.

The computation counts the places on the pool's nodes as if nothing else ran there. Other gangs come and go, and the
size has to serve all runs that are left.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from coschedule import CommonSize, common_size
from lockstep.api.pool import Pool
from lockstep.belief.nodes.suitable_nodes import Suiting
from lockstep.belief.run_times.remaining_work import remaining_work
from lockstep.belief.state import State
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.columns import SLOTS
from lockstep.facts.document import Document
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.gang.role_sizes import varying_role
from lockstep.facts.past_runs import Learned
from lockstep.facts.sweeps.sweep import SweepSpec
from lockstep.report.text.sentences import duration, n_members

_MOST_PLACES = 10_000
_MOST_NEAR = 32
# In bytes, for the templates of all waiting runs together: a template may have a megabyte, and each GangJob contains
# it.
_MOST_NEAR_BYTES = 2**21


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSize:
    """The chosen size: ``size`` is for the role that varies, or None if all sizes stay open.

    ``members`` is the number of members in all roles. ``groups`` runs may run side by side. On otherwise idle nodes all
    runs take ``seconds``; None if unknown.
    """

    size: int | None
    members: int | None
    groups: int
    reason: str
    seconds: float | None = None

    def near(self, template: Document) -> int:
        """How many runs of that template may wait: as many as may run side by side, within bounds, and at least one."""
        return max(1, min(self.groups, _MOST_NEAR, _MOST_NEAR_BYTES // max(1, len(template.json))))


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeQuestion:
    """The facts on which the size depends, frozen: the sweep, one of its GangJobs, the runs left, and the nodes."""

    spec: SweepSpec
    gang: AcceptedGang
    runs: int
    nodes: tuple[NodeFact, ...]
    slots: Mapping[str, int]
    pool: Pool
    learned: Callable[[], Learned | None]


def size_question(state: State, spec: SweepSpec, gang: AcceptedGang, runs: int) -> SizeQuestion:
    """The facts on which the size of the next runs depends now. ``runs`` are left, and ``gang`` is one of the sweep."""
    bids = {name: state.bids.get(name) for name in state.nodes}
    return SizeQuestion(
        spec=spec,
        gang=gang,
        runs=runs,
        nodes=tuple(state.nodes.values()),
        slots={name: bid.slots for name, bid in bids.items() if bid is not None and bid.slots is not None},
        pool=state.pool,
        learned=lambda: state.past_runs.in_force(gang),
    )


def choose_size(question: SizeQuestion) -> RunSize:
    """The size of the next runs. It may be computed in any thread."""
    spec, roles = question.gang.spec, question.gang.spec.roles
    role = varying_role(roles)
    if role is None or spec.elastic is not None:
        places = min(_places(question, one) // one.sizes.least for one in roles)
        reason = "Each run chooses its size, since the template is elastic or has no single role whose size varies."
        return RunSize(size=None, members=None, groups=_side_by_side(question, places), reason=reason)
    others = sum(one.sizes.least for one in roles if one is not role)
    places, times = _places(question, role), _times(question, role)
    best = None if times is None else _best(question, places, times)
    if best is None:
        return _least(question, role, others, places, times)
    return RunSize(
        size=best.size,
        members=best.size + others,
        groups=best.groups,
        seconds=best.finish,
        reason=f"Each run has {n_members(best.size + others)}; at most {best.groups} run at once. "
        f"{question.runs} runs are expected to take {duration(best.finish)}, with places for {n_members(places)} and "
        f"{question.spec.law.lower()} run times.",
    )


def _least(
    question: SizeQuestion, role: RoleSpec, others: int, places: int, times: Mapping[int, float] | None
) -> RunSize:
    """The size with the fewest members. With this size, the most runs can run side by side."""
    # Sizes without a run time are left out. A run of such a size would be refused, and no autoscaler would be asked for
    # nodes for it.
    least = min(times or (), default=role.sizes.least)
    unknown = "run times are unknown, and this size lets the largest number of runs run at once"
    why = unknown if times is None else f"the nodes have places for {n_members(places)}"
    return RunSize(
        size=least,
        members=least + others,
        groups=_side_by_side(question, places // least),
        reason=f"Each run has {n_members(least + others)}, the fewest: {why}.",
    )


def _best(question: SizeQuestion, places: int, times: Mapping[int, float]) -> CommonSize | None:
    """The size with which all runs end soonest; None if no size fits."""
    most = question.spec.max_parallel or question.runs
    found = (
        common_size({size: time}, min(places, most * size), question.runs, question.spec.law)
        for size, time in _worth_trying(times, lambda size: min(places // size, question.runs, most))
    )
    fitting = [one for one in found if isinstance(one, CommonSize)]
    return min(fitting, key=lambda one: (one.finish, one.groups * one.size, one.size), default=None)


def _worth_trying(times: Mapping[int, float], groups: Callable[[int], int]) -> Iterator[tuple[int, float]]:
    """The sizes to try, with their times: for each number of groups the fastest size, a few hundred at most.

    A size is left out if a smaller one is as fast.
    """
    fastest, by_groups = float("inf"), dict[int, int]()
    for size, time in sorted(times.items()):
        if time < fastest:
            fastest = time
            by_groups[groups(size)] = size
    return ((size, times[size]) for size in by_groups.values())


def _times(question: SizeQuestion, role: RoleSpec) -> Mapping[int, float] | None:
    """The expected run time in seconds at each size of the role; None if it is unknown."""
    work = remaining_work(question.gang, question.learned())
    if work is None:
        return None
    fixed = sum(one.sizes.least for one in question.gang.spec.roles if one is not role and one.load.is_work)
    sizes = [int(size) for size in role.sizes.between(role.sizes.least, role.sizes.maximum)]
    working = [fixed + size if role.load.is_work else fixed for size in sizes]
    known = work.float_times(max(1, *working, 1))
    found = {size: float(known[max(1, count) - 1]) for size, count in zip(sizes, working, strict=True)}
    return {size: time for size, time in found.items() if time != float("inf")}


def _side_by_side(question: SizeQuestion, groups: int) -> int:
    return max(1, min(groups, question.runs, question.spec.max_parallel or question.runs))


def _places(question: SizeQuestion, role: RoleSpec) -> int:
    """The number of members of the role that fit on suitable nodes if nothing else is there; at most 10,000."""
    alone = question.gang.with_spec(replace(question.gang.spec, roles=(role,)))
    names = Suiting(question.nodes, question.pool).names(alone)
    fitting = (_on_node(question, node, role) for node in question.nodes if node.name in names)
    return min(_MOST_PLACES, sum(fitting))


def _on_node(question: SizeQuestion, node: NodeFact, role: RoleSpec) -> int:
    offered = {**dict(node.allocatable), SLOTS: question.slots.get(node.name, _MOST_PLACES)}
    amounts = [offered.get(resource, 0) // amount for resource, amount in role.request if amount]
    return max(0, min([*amounts, _MOST_PLACES]))
