"""Sums over the pods of a Gang that are on nodes, counted as pods come and go."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TypeVar

from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.pods.pod import Request

_Key = TypeVar("_Key", bound=Hashable)


class HeldByPods:
    """The room, the priorities, the grace periods and the start times of a Gang's pods on nodes.

    The cost of a query does not depend on the number of pods.
    """

    def __init__(self) -> None:
        self._taken: Counter[tuple[str, Request]] = Counter()
        self._requests: Counter[Request] = Counter()
        self._priorities: Counter[int] = Counter()
        self._graces: Counter[int] = Counter()
        self._pods = self._started = 0
        self._starts = 0.0

    def enter(self, pod: GroupedPod) -> None:
        """Count a pod."""
        self._count(pod, +1)

    def leave(self, pod: GroupedPod) -> None:
        """Stop counting a pod that was counted."""
        self._count(pod, -1)

    @property
    def taken(self) -> Mapping[tuple[str, Request], int]:
        """The number of pods on nodes, by node and request."""
        return self._taken

    @property
    def requests(self) -> Mapping[Request, int]:
        """The number of pods on nodes, by request."""
        return self._requests

    @property
    def priority(self) -> int:
        """The highest priority of the pods, since no pod may give way to a less urgent gang; 0 without pods."""
        return max(self._priorities, default=0)

    @property
    def grace_seconds(self) -> int:
        """The longest grace period of the pods; 0 without pods."""
        return max(self._graces, default=0)

    @property
    def have_all_started(self) -> bool:
        """Whether kubelets have started all pods on nodes; true without pods."""
        return self._started == self._pods

    def running_since(self, now: float) -> float | None:
        """The mean start time of the pods; a pod that does not run yet counts with ``now``. None if no pod runs."""
        if not self._started:
            return None
        return (self._starts + (self._pods - self._started) * now) / self._pods

    def _count(self, pod: GroupedPod, sign: int) -> None:
        group = pod.group
        self._pods += sign
        if group.since is not None:
            self._started += sign
            # Sums of whole seconds are exact, so nothing is left over after subtractions.
            self._starts += sign * group.since
        _add(self._taken, (pod.node, pod.request), sign)
        _add(self._requests, pod.request, sign)
        _add(self._priorities, pod.priority, sign)
        _add(self._graces, group.grace_seconds, sign)


def _add(counts: Counter[_Key], key: _Key, sign: int) -> None:
    counts[key] += sign
    if not counts[key]:
        del counts[key]
