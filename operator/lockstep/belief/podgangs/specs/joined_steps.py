"""Joins steps of a Gang into fewer kinds of pods, so that a plan can search all combinations of kinds.

The later pods of a Gang start step by step. A plan distinguishes how many pods of each kind are on a node. So its work
grows with the product of these numbers.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lockstep.facts.gang.role import Needs

# With more combinations, steps of the Gang are joined. With this many combinations, the engine's ``Effort`` counts a
# search effort of 1,024 for each node. It does not limit the first 200,000 of each choice (``LEAST_COMBINATIONS``):
# they are enough for about 200 nodes.
_FEW = 2**10
# A plan refuses gangs with more combinations.
_MOST = 2**14
# The number of remembered results. They are needed again, since a Gang is composed after each change of its pods.
_MOST_REMEMBERED = 256


class PodsOfStep(NamedTuple):
    """Pods of one later step with equal needs. ``number`` is the number of the step.

    ``is_tied``: a term of affinity or the placement of the Gang requires something of these pods.
    """

    number: int
    needs: Needs
    pods: int
    is_tied: bool = False


@lru_cache(maxsize=_MOST_REMEMBERED)
def joined(steps: tuple[PodsOfStep, ...], beside: tuple[PodsOfStep, ...]) -> tuple[PodsOfStep, ...]:
    """The later steps, joined until they have few enough combinations with the kinds of pods ``beside`` them.

    Steps that may use the same nodes become one step. Each pod of this step requests the larger amount of each
    resource, so the room for it holds a pod of either step. If there are still too many combinations for a plan, the
    last steps are left out.
    """
    left, weights = list(steps), _weights(steps)
    while len(left) > 1 and _combinations((*left, *beside)) > _FEW:
        pair = min(_pairs(left), key=lambda pair: _waste(left, weights, pair), default=None)
        if pair is None:
            break
        first, second = pair
        left[first], weights[first] = _both(left[first], left[second]), np.maximum(weights[first], weights[second])
        del left[second], weights[second]
    while left and _combinations((*left, *beside)) > _MOST:
        left.pop()
    return tuple(left)


def _combinations(kinds: Sequence[PodsOfStep]) -> int:
    """The number of combinations that a plan distinguishes. A plan does not count pods of the largest untied kind."""
    largest = max((kind.pods for kind in kinds if not kind.is_tied), default=0)
    return math.prod(kind.pods + 1 for kind in kinds) // (largest + 1)


def _weights(steps: Sequence[PodsOfStep]) -> list[NDArray[np.float64]]:
    """The request of a pod of each step, as shares of the largest request of each resource: float[resource] by step."""
    most = dict[str, int]()
    for step in steps:
        for resource, amount in step.needs.request:
            most[resource] = max(most.get(resource, 1), amount)
    requests = (dict(step.needs.request) for step in steps)
    return [np.array([one.get(name, 0) / largest for name, largest in most.items()]) for one in requests]


def _pairs(steps: Sequence[PodsOfStep]) -> Iterator[tuple[int, int]]:
    """Pairs of steps whose pods may use the same nodes, by position."""
    places = [step.needs._replace(request=()) for step in steps]
    return ((one, other) for one, other in combinations(range(len(steps)), 2) if places[one] == places[other])


def _waste(steps: Sequence[PodsOfStep], weights: Sequence[NDArray[np.float64]], pair: tuple[int, int]) -> float:
    """How much more the pods of both steps request if they are joined, as shares of the largest requests."""
    largest = np.maximum(*(weights[number] for number in pair))
    return sum(steps[number].pods * float((largest - weights[number]).sum()) for number in pair)


def _both(one: PodsOfStep, other: PodsOfStep) -> PodsOfStep:
    request = dict(one.needs.request)
    for resource, amount in other.needs.request:
        request[resource] = max(request.get(resource, 0), amount)
    needs = one.needs._replace(request=tuple(sorted(request.items())))
    return one._replace(needs=needs, pods=one.pods + other.pods)
