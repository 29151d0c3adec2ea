"""The room of nominated pods, which is left to them by gangs that are no more urgent."""

from collections.abc import Sequence

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.problem.nodes import Nominated
from coschedule.queue.slots.claims import Claim


def by_urgency(pods: Sequence[Nominated]) -> tuple[Nominated, ...]:
    """Sort pods, the most urgent first."""
    return tuple(sorted(pods, key=lambda pod: -pod.priority))


def count_in_front(pods: Sequence[Nominated], priority: int) -> int:
    """Count the pods, of which the most urgent come first, that are at least as urgent as that."""
    return next((number for number, pod in enumerate(pods) if pod.priority < priority), len(pods))


def claims_of_pods(pods: Sequence[Nominated], rank_of: IntArray, now: float) -> list[Claim]:
    """Claim the room of pods for ever; the node of index n has rank_of[n]."""
    return [
        Claim(
            ranks=rank_of[[pod.node]],
            counts=np.array([1]),
            request=np.array(pod.request, dtype=np.int64),
            start=now,
            finish=np.inf,
        )
        for pod in pods
    ]
