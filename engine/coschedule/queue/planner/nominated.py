"""The resources of nominated pods, which gangs of the same or a lower priority do not use."""

from collections.abc import Sequence

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.problem.nodes import Nominated
from coschedule.queue.slots.claims import Claim


def by_urgency(pods: Sequence[Nominated]) -> tuple[Nominated, ...]:
    """Sort pods, the highest priority first."""
    return tuple(sorted(pods, key=lambda pod: -pod.priority))


def count_in_front(pods: Sequence[Nominated], priority: int) -> int:
    """Count the pods of at least this priority; ``pods`` are sorted by ``by_urgency``."""
    return next((number for number, pod in enumerate(pods) if pod.priority < priority), len(pods))


def claims_of_pods(pods: Sequence[Nominated], rank_of: IntArray, now: float) -> list[Claim]:
    """Return a claim without an end for each pod; the node of index n has the rank rank_of[n]."""
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
