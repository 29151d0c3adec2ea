"""Values as large as they may be together: no object is larger than etcd takes."""

from collections.abc import Callable, Sequence
from typing import Any

import orjson

MOST_BYTES = 1_400_000
"""A request to etcd has 1.5 MiB at most (1,572,864 bytes), with metadata, managed fields and a status yet to come."""
_PROBES = (50, 5_000)
"""Later entries have longer numbers, so the second guess is nearer, and is made only where so many fit."""
_NEARLY_ALL = 0.97
_STEP = 0.7

Sized = Callable[[Sequence[int]], Any]


def largest(make: Sized, most: Sequence[int], fits: Callable[[Any], bool], *, at_most: int = MOST_BYTES) -> Any:
    """What is made of as many entries as fit, ``at_most`` so many, with at most ``most`` in each list and map."""
    entries = min(_product(most), at_most)
    for probe in _PROBES:
        if entries > probe:
            entries = min(entries, _guess(make, most, probe))
    while True:
        counts = shared_out(entries, most)
        value = make(counts)
        if fits(value) or _product(counts) <= 1:
            return value
        entries = int(_product(counts) * _STEP)


def _guess(make: Sized, most: Sequence[int], probe: int) -> int:
    """How many entries take about all bytes that there may be, by the size of that many."""
    few, more = shared_out(1, most), shared_out(probe, most)
    further = max(_product(more) - _product(few), 1)
    each = max((size(make(more)) - size(make(few))) / further, 1.0)
    return int(_NEARLY_ALL * MOST_BYTES / each)


def shared_out(entries: int, most: Sequence[int]) -> list[int]:
    """How many entries each list has, so that there are about so many together: as even as their bounds allow."""
    counts = [1] * len(most)
    left, open_ones = max(entries, 1), sorted(range(len(most)), key=lambda level: most[level])
    for place, level in enumerate(open_ones):
        counts[level] = min(most[level], max(1, int(left ** (1 / (len(open_ones) - place)) + 1e-9)))
        left //= counts[level]
    return counts


def size(value: Any) -> int:
    """How many bytes it takes to write that down."""
    return len(orjson.dumps(value))


def is_stored(value: Any) -> bool:
    """Whether etcd takes it."""
    return size(value) <= MOST_BYTES


def _product(counts: Sequence[int]) -> int:
    result = 1
    for count in counts:
        result *= count
    return result
