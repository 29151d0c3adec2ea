"""What the pods of Gangs release, and when: a Gang with work says when they are expected to have ended."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from coschedule import AMOUNT_LIMIT, GangKey, Release
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.belief.run_times.overruns import end_after
from lockstep.belief.state import State
from lockstep.facts.reasons import Condition
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.nodes.resource_columns import Columns


class PodGangEnd(NamedTuple):
    """A Gang whose pods are on nodes, since when, and when they are expected to have ended."""

    gang: GangKey
    start: float
    end: float


class _KeptReleases(NamedTuple):
    """What the pods of a Gang release at ``end``, valid while the group has changed so many times."""

    changes: int
    end: float
    releases: tuple[Release, ...]


class PodGangReleases:
    """The releases of the pods of Gangs. Those of Gangs that have not changed are kept."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._kept: dict[GangKey, _KeptReleases] = {}

    def forget(self) -> None:
        """Nodes or columns have changed."""
        self._kept = {}

    def of(self, nodes: NodeArrays, columns: Columns, now: float) -> tuple[Release, ...]:
        """The releases on these nodes, in amounts of these columns."""
        kept = {}
        for gang, _, end in pod_gang_ends(self._state, now):
            group, known = self._state.pod_gangs.group(gang), self._kept.get(gang)
            if known is None or (known.changes, known.end) != (group.changes, end):
                known = _KeptReleases(group.changes, end, tuple(_releases(group, nodes, columns, end)))
            kept[gang] = known
        self._kept = kept
        return tuple(release for one in kept.values() for release in one.releases)


def pod_gang_ends(state: State, now: float) -> Iterator[PodGangEnd]:
    """The expected ends of Gangs whose pods are all bound; each overrun moves one further."""
    for gang in state.pod_gangs.objects.values():
        status = gang.status
        is_placed = status.reserved_at is None and status.is_true(Condition.PLACED)
        if is_placed and status.start is not None and status.expected_finish is not None:
            end = end_after(now, start=status.start, expected=max(status.start, status.expected_finish))
            yield PodGangEnd(gang.key, status.start, end)


def _releases(group: PodGroup, nodes: NodeArrays, columns: Columns, end: float) -> Iterator[Release]:
    counts = Counter((pod.node, pod.request) for pod in group.going_pods() if pod.node in nodes.index)
    for (node, request), count in counts.items():
        yield Release(node=nodes.index[node], request=columns.held([(request, count)], AMOUNT_LIMIT), time=end)
