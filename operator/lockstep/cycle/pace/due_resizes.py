"""What is to be changed of the CPU of members that may be paced: from what each has to what it should have."""

from collections.abc import Iterable, Mapping

from lockstep.act.changing.resizes import Resize
from lockstep.belief.state import State
from lockstep.cycle.pace.paced_members import PacedMember, with_unpaced
from lockstep.cycle.pace.pacing import YIELDING, NodePace, is_news, paced_cpu, unpaced_cpu
from lockstep.facts.pods.pace import Cpu, PendingResize, Unpaced

_CPU = "cpu"


def due_resizes(
    state: State, members: Iterable[PacedMember], unpaced: Iterable[Unpaced], paces: Mapping[str, NodePace]
) -> list[Resize]:
    """What is to be changed now of these members, where those who wait are to keep these paces, by node.

    Of them nobody is paced on a node that has none.
    """
    return [
        change
        for member, had in with_unpaced(members, unpaced)
        if (change := _resize(state, member, had, _pace(state, member, paces))) is not None
    ]


def takes(resize: Resize) -> bool:
    """Whether the member gets less CPU than it has."""
    assert resize.pod.cpu is not None, "members that run have one"
    amounts = resize.pod.cpu.amounts
    return sum(cpu.request for cpu in resize.amounts.values()) < sum(amounts[name].request for name in resize.amounts)


def _pace(state: State, member: PacedMember, paces: Mapping[str, NodePace]) -> NodePace | None:
    if state.owners.wants_pace(member.node):
        return YIELDING
    return paces.get(member.node) if member.waits else None


def _resize(state: State, member: PacedMember, had: Mapping[str, Cpu], pace: NodePace | None) -> Resize | None:
    most = _cpu_of(state, member.node)
    if not most or member.pod.is_deleting:
        return None
    amounts = member.cpu.amounts
    now = {name: amounts[name] for name in had}
    wanted = _wanted(had, now, pace, most=most, is_guaranteed=member.cpu.is_guaranteed)
    if member.cpu.pending is not None:
        return _withdrawal(member, wanted)
    if wanted == now or not _is_due(had, now, wanted, pace, most=most):
        return None
    return Resize(member.pod, wanted, None if member.cpu.is_guaranteed else _limits_only(wanted, now))


def _is_due(
    had: Mapping[str, Cpu], now: Mapping[str, Cpu], wanted: Mapping[str, Cpu], pace: NodePace | None, *, most: int
) -> bool:
    """Whether the member is not to be paced any more, or to be paced by enough more or less."""
    if pace is None or pace.is_slow:
        return True
    return any(is_news(cpu, now[name], wanted[name], pace, most=most) for name, cpu in had.items())


def _limits_only(wanted: Mapping[str, Cpu], now: Mapping[str, Cpu]) -> Mapping[str, Cpu] | None:
    """What needs no room, where more is wanted; None where that is nothing."""
    amounts = {name: Cpu(now[name].request, cpu.limit) for name, cpu in wanted.items()}
    is_possible = all(cpu.limit is None or cpu.limit > cpu.request for cpu in amounts.values())
    return amounts if is_possible and amounts not in (now, wanted) else None


def _wanted(
    had: Mapping[str, Cpu], now: Mapping[str, Cpu], pace: NodePace | None, *, most: int, is_guaranteed: bool
) -> dict[str, Cpu]:
    if pace is None or pace.is_slow:
        return {name: unpaced_cpu(cpu, now[name], most=most) for name, cpu in had.items()}
    return {name: paced_cpu(cpu, pace.share, most=most, is_guaranteed=is_guaranteed) for name, cpu in had.items()}


def _withdrawal(member: PacedMember, wanted: Mapping[str, Cpu]) -> Resize | None:
    """Ask for what is in force where the node can't give more; a limit needs no room, so it is still asked for."""
    in_force = {one.name: one.in_force for one in member.cpu.containers if one.name in wanted and one.in_force}
    if in_force.keys() != wanted.keys():
        return None
    keeps_limit = member.cpu.pending is PendingResize.INFEASIBLE or member.cpu.is_guaranteed
    amounts = {
        name: Cpu(cpu.request, cpu.limit if keeps_limit else _above(wanted[name].limit, cpu.request))
        for name, cpu in in_force.items()
    }
    return Resize(member.pod, amounts, withdraws=True)


def _cpu_of(state: State, node: str) -> int:
    """What CPU a node has, in thousandths of a core; 0 where that is not known."""
    known = state.nodes.get(node)
    return 0 if known is None else dict(known.allocatable).get(_CPU, 0)


def _above(limit: int | None, request: int) -> int | None:
    return None if limit is None else max(limit, request + 1)
