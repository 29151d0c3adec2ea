"""Which members to resize: compares the CPU that each paced member has with the CPU that it should have."""

from collections.abc import Iterable, Mapping

from lockstep.act.changing.resizes import Resize
from lockstep.belief.state import State
from lockstep.cycle.pace.paced_members import PacedMember, with_unpaced
from lockstep.cycle.pace.pacing import YIELDING, NodePace, differs_enough, paced_cpu, shared_cpu, unpaced_cpu
from lockstep.facts.pods.pace import Cpu, PendingResize, Unpaced

_CPU = "cpu"


def due_resizes(
    state: State, members: Iterable[PacedMember], unpaced: Iterable[Unpaced], paces: Mapping[str, NodePace]
) -> list[Resize]:
    """The resizes that these members need now.

    ``paces`` has, by node, the pace of members that wait for the slowest one. On a node without a pace, such members
    get back their unpaced CPU.
    """
    return [
        change
        for member, had in with_unpaced(members, unpaced)
        if (change := _resize(state, member, had, _pace(state, member, paces))) is not None
    ]


def takes(resize: Resize) -> bool:
    """Whether the resize requests less CPU than the member requests now."""
    assert resize.pod.cpu is not None, "members that run have one"
    amounts = resize.pod.cpu.amounts
    return sum(cpu.request for cpu in resize.amounts.values()) < sum(amounts[name].request for name in resize.amounts)


def _pace(state: State, member: PacedMember, paces: Mapping[str, NodePace]) -> NodePace | None:
    if state.owners.wants_pace(member.node):
        return YIELDING
    pace = paces.get(member.node) if member.waits else None
    # The request of a Guaranteed pod is its limit, so the pod would lose this QoS class.
    return None if pace is not None and pace.keeps_limits and member.cpu.is_guaranteed else pace


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
    """Whether to resize: the member is no longer paced, or its amounts differ enough from those wanted."""
    if pace is None or pace.is_slow:
        return True
    return any(differs_enough(cpu, now[name], wanted[name], pace, most=most) for name, cpu in had.items())


def _limits_only(wanted: Mapping[str, Cpu], now: Mapping[str, Cpu]) -> Mapping[str, Cpu] | None:
    """The wanted limits with the present requests: this change needs no room on the node.

    None if a limit would not be above its request, or if the amounts equal the present or the wanted ones.
    """
    amounts = {name: Cpu(now[name].request, cpu.limit) for name, cpu in wanted.items()}
    is_possible = all(cpu.limit is None or cpu.limit > cpu.request for cpu in amounts.values())
    return amounts if is_possible and amounts not in (now, wanted) else None


def _wanted(
    had: Mapping[str, Cpu], now: Mapping[str, Cpu], pace: NodePace | None, *, most: int, is_guaranteed: bool
) -> dict[str, Cpu]:
    if pace is None or pace.is_slow:
        return {name: unpaced_cpu(cpu, now[name], most=most) for name, cpu in had.items()}
    if pace.keeps_limits:
        return {name: shared_cpu(cpu, now[name], pace.share, most=most) for name, cpu in had.items()}
    return {name: paced_cpu(cpu, pace.share, most=most, is_guaranteed=is_guaranteed) for name, cpu in had.items()}


def _withdrawal(member: PacedMember, wanted: Mapping[str, Cpu]) -> Resize | None:
    """The resize that requests the amounts in force, since the node can't give more; None if these are unknown.

    Limits need no room on the node, so the resize has the wanted limits. If the pending resize is infeasible, or if
    the pod is Guaranteed, the new one has the limits in force.
    """
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
    """The allocatable CPU of a node, in thousandths of a core; 0 if unknown."""
    known = state.nodes.get(node)
    return 0 if known is None else dict(known.allocatable).get(_CPU, 0)


def _above(limit: int | None, request: int) -> int | None:
    return None if limit is None else max(limit, request + 1)
