"""Chooses nodes for gangs that change their size or start. Their sizes were chosen before, without nodes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from coschedule.model.numbers import FloatArray
from coschedule.queue.problem.gangs import GangKey
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.size_plan import RunSeats, SizedStart
from coschedule.resizing.gangs.sized_run import by_pace
from coschedule.resizing.options import Sized
from coschedule.resizing.seats import seats_without


class Chosen(NamedTuple):
    """A gang and the size that was chosen for it: its number of members, 0 where it waits."""

    sized: Sized
    size: int

    @property
    def run(self) -> ElasticRun | None:
        """The gang if it runs already, else None."""
        return self.sized.gang if isinstance(self.sized.gang, ElasticRun) else None

    @property
    def density(self) -> float:
        """The worth of the gang for each of its members; gangs of greater density choose their nodes first."""
        worth = self.sized.worth
        return worth.weight * worth.rest / float(worth.times[self.size - 1]) / self.size


class Assigned(NamedTuple):
    """The nodes ``given`` to gangs that change or start.

    For each gang that finds too few nodes, ``failed`` has the next smaller size with enough nodes, 0 if there is none.
    """

    given: Sequence[tuple[Chosen, SizedStart]]
    failed: Mapping[GangKey, int]


def assign(chosen: Sequence[Chosen], seats: RunSeats, *, now: float, limit: float) -> Assigned:
    """Choose nodes for each gang that changes or starts.

    All of its nodes are open until it ends. New nodes have a slow-down up to ``limit``. A gang that shrinks keeps its
    first ``seats_to_keep``, also on nodes that are slower than ``limit``. A gang that grows keeps its members on nodes
    of a slow-down up to ``limit``, or all of its members if it ``keeps`` them.
    """
    changing = [one for one in chosen if one.size and not (one.run and one.run.size == one.size)]
    kept = {one.sized.gang.key: list(_kept(one, seats, limit)) for one in changing}
    free = [*seats.idle, *(node for one in changing for node in _given_up(one, kept[one.sized.gang.key]))]
    free = [node for node in by_pace(free, seats.slowdown, seats.until) if seats.slowdown[node] <= limit]
    given, failed = [], dict[GangKey, int]()
    for one in sorted(changing, key=lambda one: -one.density):
        key = one.sized.gang.key
        found = _found(one, kept[key], free, seats, now, limit)
        if found is None:
            failed[key] = _largest_smaller(one, free, seats, now, limit)
            continue
        given.append((one, found))
        free = seats_without(free, seats_without(found.nodes, kept[key]))
    return Assigned(given, failed)


def _kept(one: Chosen, seats: RunSeats, limit: float) -> Iterator[int]:
    """List the nodes of the members that stay where they are, one entry for each member."""
    if one.run is not None:
        own = one.run.seats_to_keep(seats.slowdown, seats.until)[: one.size]
        stays = one.size < one.run.size or one.run.keeps
        yield from (node for node in own if stays or seats.slowdown[node] <= limit)


def _given_up(one: Chosen, kept: Sequence[int]) -> list[int]:
    return seats_without(one.run.nodes, kept) if one.run is not None else []


def _largest_smaller(one: Chosen, free: Sequence[int], seats: RunSeats, now: float, limit: float) -> int:
    """Return the largest size below the chosen one at which the gang grows or starts and finds seats; 0 for none."""
    least = 0 if one.run is None else one.run.size
    sizes = sorted((size for size in one.sized.sizes.tolist() if least < size < one.size), reverse=True)
    tried = (one._replace(size=size) for size in sizes)
    found = (_found(smaller, list(_kept(smaller, seats, limit)), free, seats, now, limit) for smaller in tried)
    return next((len(start.nodes) for start in found if start is not None), 0)


def _found(
    one: Chosen, kept: Sequence[int], free: Sequence[int], seats: RunSeats, now: float, limit: float
) -> SizedStart | None:
    """Return the gang on the ``kept`` and the fastest ``free`` seats; None if too few stay open until the gang ends."""
    run, rest = one.run, float(one.sized.worth.times[one.size - 1])
    begins = now if run is None else now + run.terms.restart_time
    latest = begins + rest * _most_pace(one, kept, seats.slowdown, limit)
    closes = seats.closes_to_new(interruptible=one.sized.gang.may_be_interrupted)
    more = [node for node in free if closes[node] >= latest][: one.size - len(kept)]
    nodes = tuple(sorted([*kept, *more]))
    if len(nodes) < one.size or min((seats.until[node] for node in kept), default=math.inf) < latest:
        return None
    return SizedStart(one.sized.gang.key, nodes, begins + rest * pace_on(run, nodes, seats.slowdown))


def _most_pace(one: Chosen, kept: Sequence[int], slowdown: FloatArray, limit: float) -> float:
    """Return an upper bound on the slow-down of a gang that starts or grows, or the slow-down of one that shrinks."""
    run = one.run
    if run is None:
        return limit
    if one.size < run.size:
        return run.pace_on(kept, slowdown)
    return run.most_pace(one.size, limit, slowdown)


def pace_on(run: ElasticRun | None, nodes: Sequence[int], slowdown: FloatArray) -> float:
    """Return the slow-down of a gang with members on these nodes; ``run`` is None for a gang that starts."""
    return float(slowdown[list(nodes)].max()) if run is None else run.pace_on(nodes, slowdown)
