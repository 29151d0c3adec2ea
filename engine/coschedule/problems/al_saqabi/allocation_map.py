"""The allocation map: rows are processors, columns time slices, and a job has the same rows in all its columns [S 3].

All pieces of a job run at the same time: a column has all pieces of a job or none. Each column has a job. Let T be the
time that a job takes if it has all columns. With w of the map's t columns it takes T * t / w.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number, Scalar, as_number
from coschedule.pieces.piece_times import check_named_speeds, uniform


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """The place of a job: ``slices`` are the names of its columns, ``counts`` its pieces on each processor it uses.

    A slice keeps its name when other slices are added or removed.
    """

    job: str
    slices: tuple[int, ...]
    counts: Mapping[str, int]

    def __post_init__(self) -> None:
        if not self.slices or not self.counts:
            raise InvalidValueError("allocations", f"give {self.job} no place")
        if min(self.counts.values()) < 1:
            raise InvalidValueError("allocations", f"give {self.job} a processor without a piece")

    @property
    def pieces(self) -> int:
        """The number of pieces of the job."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationMap:
    """The ``speeds`` of all processors by name, and the ``allocations`` of jobs in the order of their queue.

    Speeds become all fractions or all floats. InvalidValueError when a speed is not above 0 and finite, an entry is
    used twice, a job has two allocations, or a processor is not known. Immutable: events return a new map.
    """

    speeds: Mapping[str, Number]
    allocations: tuple[Allocation, ...] = ()

    def __post_init__(self) -> None:
        check_named_speeds(self.speeds)
        object.__setattr__(self, "speeds", uniform(self.speeds))
        if len({allocation.job for allocation in self.allocations}) < len(self.allocations):
            raise InvalidValueError("allocations", "name a job twice")
        taken = [entry for allocation in self.allocations for entry in _entries(allocation)]
        if len(set(taken)) < len(taken):
            raise InvalidValueError("allocations", "give an entry to two jobs")
        for name, _ in taken:
            if name not in self.speeds:
                raise InvalidValueError("allocations", f"name the processor {name}, which is not there")

    @property
    def slices(self) -> tuple[int, ...]:
        """The columns, rising."""
        return tuple(sorted({name for allocation in self.allocations for name in allocation.slices}))

    @property
    def free(self) -> dict[int, frozenset[str]]:
        """The unused processors by slice, slices rising."""
        free = {name: set(self.speeds) for name in self.slices}
        for allocation in self.allocations:
            for name in allocation.slices:
                free[name] -= allocation.counts.keys()
        return {name: frozenset(processors) for name, processors in free.items()}

    @property
    def free_entries(self) -> int:
        """The number of unused entries of the map."""
        return sum(len(processors) for processors in self.free.values())

    def find(self, job: str) -> Allocation | None:
        """Return the allocation of ``job``; None if the job has none."""
        return next((allocation for allocation in self.allocations if allocation.job == job), None)

    def turnaround(self, job: str) -> Number:
        """Return T * slices of the map / slices of the job, where T is the turn-around with all slices.

        A piece takes one unit of time on a processor of speed 1. InvalidValueError for a job without an allocation.
        """
        allocation = self.find(job)
        if allocation is None:
            raise InvalidValueError("job", f"{job} has no allocation")
        alone: Scalar = max(count / self.speeds[name] for name, count in allocation.counts.items())
        return as_number(alone * len(self.slices) / len(allocation.slices))

    def with_allocation(self, new: Allocation) -> "AllocationMap":
        """Return the map with ``new`` in place of its job's allocation, or at the end of the queue for a new job."""
        if self.find(new.job) is None:
            return replace(self, allocations=(*self.allocations, new))
        return replace(self, allocations=tuple(new if old.job == new.job else old for old in self.allocations))

    def without_job(self, job: str) -> "AllocationMap":
        """Return the map without ``job``."""
        return replace(self, allocations=tuple(one for one in self.allocations if one.job != job))


def _entries(allocation: Allocation) -> list[tuple[str, int]]:
    return [(processor, name) for processor in allocation.counts for name in allocation.slices]
