"""Later steps of a Gang as fewer kinds of pods, so that a plan can search all combinations of them.

A plan distinguishes how many pods of each kind are on a node, so the work grows with the product of their numbers.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lockstep.facts.gang.role import Needs

# So many cost other gangs nothing: the steps that each choice of a plan has free are about enough.
_FEW = 2**10
# A plan refuses gangs that have more.
_MOST = 2**14
# A Gang is composed again with each change of its pods.
_MOST_REMEMBERED = 256


class PodsOfStep(NamedTuple):
    """So many pods with equal needs; the number says which step it is of those that come later.

    A term of affinity or the Gang's placement requires something of those that are tied.
    """

    number: int
    needs: Needs
    pods: int
    is_tied: bool = False


@lru_cache(maxsize=_MOST_REMEMBERED)
def joined(steps: tuple[PodsOfStep, ...], beside: tuple[PodsOfStep, ...]) -> tuple[PodsOfStep, ...]:
    """The steps, or as few of them as make the Gang simple enough, with the kinds of pods ``beside`` them.

    Steps that may use the same nodes become one, whose pods ask for the most of each resource. So the room that is
    found holds all of them. Where no two can be joined, the last ones are left out.
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
    """How many a plan distinguishes: it does not count those of the largest kind that is not tied."""
    largest = max((kind.pods for kind in kinds if not kind.is_tied), default=0)
    return math.prod(kind.pods + 1 for kind in kinds) // (largest + 1)


def _weights(steps: Sequence[PodsOfStep]) -> list[NDArray[np.float64]]:
    """What a pod of each step asks for, as shares of the largest request of each resource: one array a step."""
    most = dict[str, int]()
    for step in steps:
        for resource, amount in step.needs.request:
            most[resource] = max(most.get(resource, 1), amount)
    requests = (dict(step.needs.request) for step in steps)
    return [np.array([one.get(name, 0) / largest for name, largest in most.items()]) for one in requests]


def _pairs(steps: Sequence[PodsOfStep]) -> Iterator[tuple[int, int]]:
    """The numbers of the steps whose pods may use the same nodes."""
    places = [step.needs._replace(request=()) for step in steps]
    return ((one, other) for one, other in combinations(range(len(steps)), 2) if places[one] == places[other])


def _waste(steps: Sequence[PodsOfStep], weights: Sequence[NDArray[np.float64]], pair: tuple[int, int]) -> float:
    """How much more their pods ask for if they are joined."""
    largest = np.maximum(*(weights[number] for number in pair))
    return sum(steps[number].pods * float((largest - weights[number]).sum()) for number in pair)


def _both(one: PodsOfStep, other: PodsOfStep) -> PodsOfStep:
    request = dict(one.needs.request)
    for resource, amount in other.needs.request:
        request[resource] = max(request.get(resource, 0), amount)
    needs = one.needs._replace(request=tuple(sorted(request.items())))
    return one._replace(needs=needs, pods=one.pods + other.pods)
