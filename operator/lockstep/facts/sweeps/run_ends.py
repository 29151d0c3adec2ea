"""How each run of a sweep has ended: one byte for each run in memory, two bits for each run in a status."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from itertools import islice
from operator import or_
from typing import Self

_BITS = 2
_IN_BYTE = 8 // _BITS
_MASK = (1 << _BITS) - 1


class RunEnd(IntEnum):
    """How a run has ended. Statuses contain these numbers."""

    NOT_YET = 0
    SUCCEEDED = 1
    FAILED = 2


_AS_KNOWN = bytes(end if end in frozenset(RunEnd) else RunEnd.NOT_YET for end in range(256))
"""A table for ``bytes.translate``: bytes that are no end become ``NOT_YET``."""


@dataclass(frozen=True, slots=True)
class RunEnds:
    """The ends of all runs, by their numbers; ``each`` has one byte for each run."""

    each: bytes

    @classmethod
    def none(cls, runs: int) -> Self:
        """The ends of that many runs, none of which has ended yet."""
        return cls(bytes(runs))

    @classmethod
    def unpacked(cls, packed: bytes, runs: int) -> Self:
        """The ends in a status. Any client may have written it: unknown or missing ends count as ``NOT_YET``."""
        length = -(-runs // _IN_BYTE)
        number, each = int.from_bytes(packed[:length], "little"), bytearray(length * _IN_BYTE)
        mask = int.from_bytes(bytes([_MASK]) * length, "little")
        for within in range(_IN_BYTE):
            each[within::_IN_BYTE] = (number >> within * _BITS & mask).to_bytes(length, "little")
        return cls(bytes(each[:runs].translate(_AS_KNOWN)))

    # A sweep may have 10,000 runs. A loop would take a step for each run, so ``packed`` uses large integers instead.
    @property
    def packed(self) -> bytes:
        """The ends with two bits for each run, the first run in the lowest bits of the first byte."""
        length = -(-len(self.each) // _IN_BYTE)
        parts = (int.from_bytes(self.each[within::_IN_BYTE], "little") << within * _BITS for within in range(_IN_BYTE))
        return reduce(or_, parts).to_bytes(length, "little")

    def __len__(self) -> int:
        """The number of runs."""
        return len(self.each)

    def of(self, run: int) -> RunEnd:
        """How that run has ended."""
        return RunEnd(self.each[run])

    def count(self, end: RunEnd) -> int:
        """How many runs have that end."""
        return self.each.count(end)

    def having(self, ends: Mapping[int, RunEnd]) -> "RunEnds":
        """The same ends, except that these runs have the given ends."""
        if not ends:
            return self
        each = bytearray(self.each)
        for run, end in ends.items():
            each[run] = end
        return RunEnds(bytes(each))

    def runs_with(self, end: RunEnd) -> Iterator[int]:
        """The runs with that end, in order. The search for the next one takes no step of Python for each run."""
        run = self.each.find(end)
        while run >= 0:
            yield run
            run = self.each.find(end, run + 1)

    def spans_with(self, end: RunEnd) -> Iterator[tuple[int, int]]:
        """The first and the last run of each sequence of consecutive runs with that end, in order."""
        return ((row.start(), row.end() - 1) for row in re.finditer(re.escape(bytes([end])) + b"+", self.each))

    def first_with(self, end: RunEnd, most: int) -> tuple[int, ...]:
        """The first runs with that end, at most ``most``."""
        return tuple(islice(self.runs_with(end), most))
