"""The amounts that the pods of Gangs release, and the times. The work of a Gang gives the expected end of its pods.

Pods end after their grace period if they are being deleted, or if their owner is being suspended.
"""

from collections.abc import Collection, Iterator
from itertools import repeat
from typing import NamedTuple

from coschedule import AMOUNT_LIMIT, GangKey, Release
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.belief.run_times.overruns import end_after
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import GroupedPod, PodGang
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reasons import Condition
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.nodes.resource_columns import Columns


class PodGangEnd(NamedTuple):
    """A Gang whose pods are on nodes, the start of its pods, and their expected end."""

    gang: GangKey
    start: float
    end: float


class _KeptReleases(NamedTuple):
    """The releases of the pods of a ``group`` that are expected to end at ``end``.

    They are valid while the number of ``changes`` of the group stays the same. A Gang whose only pod changes or is
    replaced gets another group. ``by_member``: there is one release for each pod.
    """

    group: PodGroup
    changes: int
    end: float
    by_member: bool
    releases: tuple[Release, ...]


class PodGangReleases:
    """The releases of the pods of Gangs. The releases of Gangs that have not changed are kept."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._kept: dict[GangKey, _KeptReleases] = {}

    def forget(self) -> None:
        """Drop all kept releases, since nodes or columns have changed."""
        self._kept = {}

    def of(
        self, nodes: NodeArrays, columns: Columns, now: float, *, by_member: Collection[GangKey] = ()
    ) -> tuple[Release, ...]:
        """The releases on these nodes, in amounts of these columns. A Gang in ``by_member`` has one for each pod."""
        kept = {}
        for gang, _, end in pod_gang_ends(self._state, now):
            group, known, is_each = self._state.pod_gangs.group(gang), self._kept.get(gang), gang in by_member
            if known is None or known.group is not group or known[1:4] != (group.changes, end, is_each):
                releases = tuple(_releases(group, nodes, columns, end, by_member=is_each))
                known = _KeptReleases(group, group.changes, end, is_each, releases)
            kept[gang] = known
        self._kept = kept
        of_gangs = tuple(release for one in kept.values() for release in one.releases)
        return of_gangs + tuple(self._of_leaving_pods(nodes, columns, now))

    def _of_leaving_pods(self, nodes: NodeArrays, columns: Columns, now: float) -> Iterator[Release]:
        for group in self._state.pod_gangs.groups():
            for pod in group.leaving:
                if pod.node in nodes.index:
                    request = columns.held([(pod.request, 1)], AMOUNT_LIMIT)
                    yield Release(node=nodes.index[pod.node], request=request, time=_gone_by(pod, now))


def pod_gang_ends(state: State, now: float) -> Iterator[PodGangEnd]:
    """The expected ends of Gangs whose pods are all bound, and of Gangs whose owners are being suspended."""
    for gang in state.pod_gangs.objects.values():
        found = pod_gang_end_of(state, gang, now)
        if found is not None:
            yield found


def pod_gang_end_of(state: State, gang: PodGang, now: float) -> PodGangEnd | None:
    """The expected end of a Gang whose pods are all bound, or whose owner is being suspended; None if unknown."""
    if gang.key in state.pod_gangs.yielding.suspended:
        return PodGangEnd(gang.key, now, now + state.pod_gangs.group(gang.key).held.grace_seconds)
    end, start = pod_gang_end(gang.status, now), gang.status.start
    return None if end is None or start is None else PodGangEnd(gang.key, start, end)


def pod_gang_end(status: GangStatus, now: float) -> float | None:
    """When the pods of a Gang are expected to have ended; None if not all are bound, or if this is unknown.

    If the pods run longer than expected, this time moves on in steps, as in ``end_after``.
    """
    is_placed = status.reserved_at is None and status.is_true(Condition.PLACED)
    if not is_placed or status.start is None or status.expected_finish is None:
        return None
    return end_after(now, start=status.start, expected=max(status.start, status.expected_finish))


def _gone_by(pod: GroupedPod, now: float) -> float:
    """When a pod that is being deleted will be gone; the time moves on while the pod does not go."""
    grace, end = pod.group.grace_seconds, now if pod.gone_by is None else pod.gone_by
    return end_after(now, start=end - grace, expected=end)


def _releases(
    group: PodGroup, nodes: NodeArrays, columns: Columns, end: float, *, by_member: bool
) -> Iterator[Release]:
    for (node, request), count in group.held.taken.items():
        if node in nodes.index:
            each, times = (1, count) if by_member else (count, 1)
            taken = columns.held([(request, each)], AMOUNT_LIMIT)
            yield from repeat(Release(node=nodes.index[node], request=taken, time=end), times)
