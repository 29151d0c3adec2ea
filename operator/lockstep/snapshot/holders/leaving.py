"""Members that leave their gang while the others run: the gang no longer holds their room, but they still take it."""

from collections.abc import Iterable, Iterator, Sequence

from coschedule import AMOUNT_LIMIT, Holding, Release
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.pods.pod import PodFact
from lockstep.snapshot.holders.endings import gone_by
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.nodes.resource_columns import Columns


def leaving_members(state: State, reservation: Reservation) -> list[PodFact]:
    """The pods of the attempt that are still on nodes, but no longer in its reservation."""
    return [pod for pod in _former_members(state, reservation) if pod.node and not pod.has_ended]


def has_former_members(state: State, reservation: Reservation) -> bool:
    """Whether some pods of the attempt are no longer members: new members would get the names of these pods."""
    return any(True for _ in _former_members(state, reservation))


def releases_of(
    state: State, pods: Iterable[PodFact], nodes: NodeArrays, columns: Columns, now: float
) -> Iterator[Release]:
    """The amounts that these pods release, each at the end of its grace period."""
    for pod in pods:
        gang = None if pod.member is None else state.gangs.get(pod.member.gang)
        if gang is not None and pod.node in nodes.index:
            yield Release(node=nodes.index[pod.node], request=_one(columns, pod), time=gone_by(pod, gang, now))


def without(held: Sequence[Holding], left: Iterable[Release]) -> Sequence[Holding]:
    """The held amounts, without the amounts that these releases give back."""
    amounts: dict[int, list[int]] = {}
    for one in left:
        of_node = amounts.setdefault(one.node, [0] * len(one.request))
        amounts[one.node] = [before + more for before, more in zip(of_node, one.request, strict=True)]
    return list(_without(held, amounts)) if amounts else held


def _without(held: Iterable[Holding], amounts: dict[int, list[int]]) -> Iterator[Holding]:
    for node, request in held:
        left = amounts.get(node)
        if left is None:
            yield Holding(node, request)
            continue
        taken = tuple(map(min, request, left))
        amounts[node] = [before - less for before, less in zip(left, taken, strict=True)]
        rest = tuple(before - less for before, less in zip(request, taken, strict=True))
        if any(rest) or not any(taken):
            yield Holding(node, rest)


def _one(columns: Columns, pod: PodFact) -> tuple[int, ...]:
    return columns.held([(pod.request, 1)], AMOUNT_LIMIT)


def _former_members(state: State, reservation: Reservation) -> Iterator[PodFact]:
    """The pods of the attempt that are not in its reservation; none unless the gang has more pods than members."""
    gang = state.gangs.get(reservation.gang)
    members = {} if gang is None else state.members(gang)
    # A gang may have thousands of pods, so they are searched only if there are more pods than members.
    for pod in members.values() if len(members) > reservation.size else ():
        if pod.member is not None and pod.member.attempt == reservation.attempt and not reservation.is_for(pod.member):
            yield pod
