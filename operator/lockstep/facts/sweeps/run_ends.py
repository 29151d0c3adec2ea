"""How each run of a sweep has ended: one byte a run in memory, two bits a run in a status."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from typing import Self

_BITS = 2
_IN_BYTE = 8 // _BITS
_MASK = (1 << _BITS) - 1


class RunEnd(IntEnum):
    """How a run has ended. The numbers stand in statuses."""

    NOT_YET = 0
    SUCCEEDED = 1
    FAILED = 2


_KNOWN = frozenset(RunEnd)


@dataclass(frozen=True, slots=True)
class RunEnds:
    """The ends of all runs, by their numbers; ``each`` has one byte for each run."""

    each: bytes

    @classmethod
    def none(cls, runs: int) -> Self:
        """No run has ended yet."""
        return cls(bytes(runs))

    @classmethod
    def unpacked(cls, packed: bytes, runs: int) -> Self:
        """The ends in a status. Any client may have written it: what is unknown or missing counts as not ended."""
        each = bytearray(runs)
        for place, byte in enumerate(packed[: -(-runs // _IN_BYTE)]):
            for within in range(min(_IN_BYTE, runs - place * _IN_BYTE)):
                end = byte >> within * _BITS & _MASK
                each[place * _IN_BYTE + within] = end if end in _KNOWN else RunEnd.NOT_YET
        return cls(bytes(each))

    @property
    def packed(self) -> bytes:
        """Two bits a run, the first run in the lowest bits of the first byte."""
        packed = bytearray(-(-len(self.each) // _IN_BYTE))
        for run, end in enumerate(self.each):
            packed[run // _IN_BYTE] |= end << run % _IN_BYTE * _BITS
        return bytes(packed)

    def __len__(self) -> int:
        """The number of runs."""
        return len(self.each)

    def of(self, run: int) -> RunEnd:
        """How that run has ended."""
        return RunEnd(self.each[run])

    def count(self, end: RunEnd) -> int:
        """How many runs have ended so."""
        return self.each.count(end)

    def having(self, ends: Mapping[int, RunEnd]) -> "RunEnds":
        """The same, with these ends of these runs."""
        if not ends:
            return self
        each = bytearray(self.each)
        for run, end in ends.items():
            each[run] = end
        return RunEnds(bytes(each))

    def runs_with(self, end: RunEnd) -> Iterator[int]:
        """The runs that have ended so, in order. The search for the next one takes no step of Python a run."""
        run = self.each.find(end)
        while run >= 0:
            yield run
            run = self.each.find(end, run + 1)

    def first_with(self, end: RunEnd, most: int) -> tuple[int, ...]:
        """The first runs that have ended so, ``most`` at most."""
        return tuple(islice(self.runs_with(end), most))
