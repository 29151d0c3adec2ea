"""The events of the allocation map: what happens to each job when processors and pieces are added or removed [S 4.4].

A *pattern* is a set of slices, and processors that are free in all these slices. The map has t slices. ``submit``
compares the best free pattern, of w slices, with a new slice for the job. Alone in all slices, the job would take
T_free on the processors of the pattern, and T_min on all processors. The job gets the pattern if T_free * t / w <=
T_min * (t + 1), since a new slice makes each round one slice longer. (The paper compares T_free with T_min, which are
different quantities, and divides T_min by t.)

``vp`` stands for a virtual processor, the paper's word for a piece. After ``new_vp`` and ``processor_exit``, the
affected jobs need room. They are placed again on their own processors and on processors that are free in all their
slices. If more entries are then free than before the event, the other jobs may move to a faster pattern, in the order
of the queue. After ``vp_exit`` and ``new_processor``, all jobs may do so. A job that gains nothing stays. After such
moves, the first job of the queue becomes the last one.

The policy that finds patterns is replaceable. Patterns may contain the job's own entries.

Units: one piece takes one unit of time on a processor of speed 1, alone in its slices. An event costs one search by the
policy and one placement for each job, and O(entries of the map) for the list of changes.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number, Scalar
from coschedule.pieces.apportion import apportion
from coschedule.pieces.piece_times import check_pieces
from coschedule.problems.al_saqabi.allocation_map import Allocation, AllocationMap
from coschedule.problems.al_saqabi.changes import Change, Ended, compare
from coschedule.problems.al_saqabi.expand import Expansion, expand
from coschedule.problems.al_saqabi.offer_refusals import NoRoom
from coschedule.problems.al_saqabi.piece_placement import place_on_processors

Policy = Callable[[Sequence[Collection[str]], Mapping[str, Number], int], Expansion | NoRoom]
"""Finds a pattern from the free processors by slice, all speeds and the pieces of the job."""


def submit(before: AllocationMap, job: str, pieces: int, *, policy: Policy = expand) -> Change:
    """Place a new job; turn-arounds of other jobs grow only when it gets a slice of its own.

    InvalidValueError when the job already exists, has no pieces, or there is no processor.
    """
    check_pieces(pieces)
    if before.find(job) is not None:
        raise InvalidValueError("job", f"{job} is there already")
    if not before.speeds:
        raise InvalidValueError("speeds", "must hold at least one processor")
    return compare(before, _submitted(before, job, pieces, policy))


def new_vp(before: AllocationMap, job: str, *, policy: Policy = expand) -> Change:
    """Add one piece to ``job``; a new job is submitted with one piece."""
    allocation = before.find(job)
    if allocation is None:
        return submit(before, job, 1, policy=policy)
    after = before.with_allocation(_placed_again(before, allocation, allocation.counts, allocation.pieces + 1))
    return compare(before, _taken_up(after, before.free_entries, {job}, policy))


def vp_exit(before: AllocationMap, job: str, processor: str, *, policy: Policy = expand) -> Change:
    """End a piece of ``job`` on ``processor``; with its last piece, the job ends.

    InvalidValueError if the job has no piece on the processor.
    """
    allocation = before.find(job)
    if allocation is None or processor not in allocation.counts:
        raise InvalidValueError("job", f"{job} has no piece on {processor}")
    counts = {**allocation.counts, processor: allocation.counts[processor] - 1}
    left = {name: count for name, count in counts.items() if count}
    after = before.with_allocation(replace(allocation, counts=left)) if left else before.without_job(job)
    return compare(before, _expanded(after, set(), policy), ended=Ended(job=job, processor=processor))


def new_processor(before: AllocationMap, name: str, speed: Number, *, policy: Policy = expand) -> Change:
    """Add a processor, free in all slices. InvalidValueError when it already exists or has no valid speed."""
    if name in before.speeds:
        raise InvalidValueError("processor", f"{name} is there already")
    after = replace(before, speeds={**before.speeds, name: speed})
    return compare(before, _expanded(after, set(), policy))


def processor_exit(before: AllocationMap, name: str, *, policy: Policy = expand) -> Change:
    """Remove a processor; jobs without another processor in their slices are submitted again.

    InvalidValueError when it does not exist, or is the last one while there are jobs.
    """
    if name not in before.speeds:
        raise InvalidValueError("processor", f"{name} is not there")
    if len(before.speeds) == 1 and before.allocations:
        raise InvalidValueError("processor", f"{name} is the last one and there are jobs")
    touched = [allocation for allocation in before.allocations if name in allocation.counts]
    after = _without_row(before, name)
    free_before = sum(len(processors - {name}) for processors in before.free.values())
    for allocation in touched:
        after = _moved_on(after, allocation, policy)
    queue = [allocation.job for allocation in before.allocations]
    after = replace(after, allocations=tuple(sorted(after.allocations, key=lambda one: queue.index(one.job))))
    return compare(before, _taken_up(after, free_before, {allocation.job for allocation in touched}, policy))


def _without_row(before: AllocationMap, name: str) -> AllocationMap:
    """Remove a processor and the pieces on it; jobs that were only there have no allocation for now."""
    speeds = {other: speed for other, speed in before.speeds.items() if other != name}
    left = []
    for allocation in before.allocations:
        counts = {other: count for other, count in allocation.counts.items() if other != name}
        left += [replace(allocation, counts=counts)] if counts else []
    return AllocationMap(speeds=speeds, allocations=tuple(left))


def _moved_on(after: AllocationMap, allocation: Allocation, policy: Policy) -> AllocationMap:
    """Place a job that has lost a processor; ``allocation`` is its allocation before the loss."""
    left = after.find(allocation.job)
    if left is not None:
        return after.with_allocation(_placed_again(after, left, left.counts, allocation.pieces))
    if set(allocation.slices) <= set(after.slices) and _shared(after, allocation):
        return after.with_allocation(_placed_again(after, allocation, {}, allocation.pieces))
    return _submitted(after, allocation.job, allocation.pieces, policy)


def _placed_again(current: AllocationMap, allocation: Allocation, held: Mapping[str, int], pieces: int) -> Allocation:
    """Place a job in its slices: on the processors in ``held``, and on processors that are free in all these slices."""
    names = _shared(current, allocation) | held.keys()
    speeds = {name: current.speeds[name] for name in names}
    return replace(allocation, counts=place_on_processors(pieces, speeds, held))


def _shared(current: AllocationMap, allocation: Allocation) -> frozenset[str]:
    """Return the processors that are free in all slices of ``allocation``."""
    free = current.free
    return frozenset.intersection(*(free[name] for name in allocation.slices))


def _submitted(before: AllocationMap, job: str, pieces: int, policy: Policy) -> AllocationMap:
    slices, free = before.slices, before.free
    found = policy([free[name] for name in slices], before.speeds, pieces)
    own_slice: Scalar = apportion(pieces, list(before.speeds.values())).turnaround * (len(slices) + 1)
    if isinstance(found, Expansion) and found.turnaround <= own_slice:
        return before.with_allocation(_in_pattern(before, job, found, pieces, {}))
    counts = place_on_processors(pieces, before.speeds, {})
    return before.with_allocation(Allocation(job=job, slices=(max(slices, default=-1) + 1,), counts=counts))


def _taken_up(after: AllocationMap, free_before: int, touched: set[str], policy: Policy) -> AllocationMap:
    """Move jobs that were not affected to faster patterns, if more entries are free than before the event."""
    return _expanded(after, touched, policy) if after.free_entries > free_before else after


def _expanded(current: AllocationMap, touched: set[str], policy: Policy) -> AllocationMap:
    """Move jobs that were not affected to faster patterns; then the first job of the queue becomes the last one."""
    for job in [allocation.job for allocation in current.allocations if allocation.job not in touched]:
        if not current.free_entries:
            break
        current = _faster(current, job, policy)
    return replace(current, allocations=(*current.allocations[1:], *current.allocations[:1]))


def _faster(current: AllocationMap, job: str, policy: Policy) -> AllocationMap:
    """Move one job to the best pattern among its own entries and the free ones, if that makes it faster.

    The best pattern contains all slices that have only this job, so the move leaves no slice empty.
    """
    allocation = current.find(job)
    assert allocation is not None, "the job is in the queue"
    free = current.free
    for name in allocation.slices:
        free[name] |= allocation.counts.keys()
    found = policy(list(free.values()), current.speeds, allocation.pieces)
    if isinstance(found, NoRoom) or found.turnaround >= current.turnaround(job):
        return current
    return current.with_allocation(_in_pattern(current, job, found, allocation.pieces, allocation.counts))


def _in_pattern(
    current: AllocationMap, job: str, pattern: Expansion, pieces: int, held: Mapping[str, int]
) -> Allocation:
    slices = tuple(current.slices[index] for index in pattern.slices)
    speeds = {name: current.speeds[name] for name in pattern.processors}
    return Allocation(job=job, slices=slices, counts=place_on_processors(pieces, speeds, held))
