"""What an event changes for each job: the pieces that move or stay, and its turn-around before and after."""

from collections.abc import Mapping
from dataclasses import dataclass

from coschedule.model.numbers import Number
from coschedule.problems.al_saqabi.allocation_map import AllocationMap


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceMove:
    """``count`` pieces move from processor ``source`` to processor ``target``.

    ``source`` is None if the pieces are new. ``target`` is None if the pieces end.
    """

    source: str | None
    target: str | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobChange:
    """One job before and after: without an allocation, slices are empty and the turn-around is None.

    ``stays`` are the pieces that keep their processor, by processor.
    """

    job: str
    moves: tuple[PieceMove, ...]
    stays: Mapping[str, int]
    slices_before: tuple[int, ...]
    slices_after: tuple[int, ...]
    turnaround_before: Number | None
    turnaround_after: Number | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The map ``before`` and ``after`` an event, and the change of each job, in the queue's order before the event."""

    before: AllocationMap
    after: AllocationMap
    jobs: tuple[JobChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A piece of ``job`` that ended on ``processor``."""

    job: str
    processor: str


def compare(before: AllocationMap, after: AllocationMap, *, ended: Ended | None = None) -> Change:
    """Return the changes; pieces of a job are alike, so as few of them move as the counts allow."""
    known = [allocation.job for allocation in before.allocations]
    new = [allocation.job for allocation in after.allocations if allocation.job not in known]
    changes = [_job_change(before, after, job, ended) for job in (*known, *new)]
    return Change(before=before, after=after, jobs=tuple(changes))


def _job_change(before: AllocationMap, after: AllocationMap, job: str, ended: Ended | None) -> JobChange:
    old, new = before.find(job), after.find(job)
    held = dict(old.counts) if old else {}
    wanted = new.counts if new else {}
    ends = []
    if ended and ended.job == job:
        held[ended.processor] -= 1
        ends = [PieceMove(source=ended.processor, target=None, count=1)]
    return JobChange(
        job=job,
        moves=(*ends, *_moves(held, wanted)),
        stays={name: min(count, wanted[name]) for name, count in held.items() if count and name in wanted},
        slices_before=old.slices if old else (),
        slices_after=new.slices if new else (),
        turnaround_before=before.turnaround(job) if old else None,
        turnaround_after=after.turnaround(job) if new else None,
    )


def _moves(held: Mapping[str, int], wanted: Mapping[str, int]) -> list[PieceMove]:
    """Match pieces that leave processors with pieces that arrive, in the order of names; the rest begin or end."""
    leaving = _surplus(held, wanted)
    arriving = _surplus(wanted, held)
    moves = []
    while leaving and arriving:
        (source, over), (target, under) = leaving[-1], arriving[-1]
        count = min(over, under)
        moves.append(PieceMove(source=source, target=target, count=count))
        leaving[-1:] = [(source, over - count)] if over > count else []
        arriving[-1:] = [(target, under - count)] if under > count else []
    moves += [PieceMove(source=source, target=None, count=count) for source, count in reversed(leaving)]
    return [*moves, *(PieceMove(source=None, target=target, count=count) for target, count in reversed(arriving))]


def _surplus(more: Mapping[str, int], less: Mapping[str, int]) -> list[tuple[str, int]]:
    """List the processors with more pieces in ``more`` than in ``less``, with the difference, last name first."""
    over = [(name, count - less.get(name, 0)) for name, count in more.items()]
    return sorted(((name, count) for name, count in over if count > 0), reverse=True)
