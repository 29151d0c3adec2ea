"""Why a gang has its size: the best run of each size, when the gang was planned."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.choosing.by_roles import RolesChooser
from coschedule.queue.choosing.choice import Chooser
from coschedule.queue.choosing.demand import Demand
from coschedule.queue.choosing.one_domain import OneDomainChooser
from coschedule.queue.choosing.plain import PlainChooser
from coschedule.queue.loads.unknown_run_time import earliest_start
from coschedule.queue.planner.turn import Turn
from coschedule.queue.problem.refusals import TooManyCombinations, TopologiesCross
from coschedule.queue.roles.party import party_of
from coschedule.queue.search.candidates import Outline, outline_of
from coschedule.queue.search.effort import effort_for_one
from coschedule.queue.slots.timeline import Timeline


def sizes_of(turn: Turn) -> IntArray:
    """List the sizes that the gang may have, all roles together: int[p], rising."""
    return party_of(turn.gang).sizes


def best_by_size(turn: Turn, sizes: IntArray) -> tuple[Outline | None, ...]:
    """Find the best run of each of ``sizes``, whatever the deadline; None for a size that fits nowhere.

    Best is the least value or, if the run time is unknown, the earliest start. No run starts after the promise of the
    gang. With too many combinations of members and nodes to search all, a run that fits may be missed.
    """
    if isinstance(turn.chooser, TopologiesCross | TooManyCombinations):
        return (None,) * len(sizes)
    by_domain = [_best(chooser, timeline, sizes) for chooser, timeline in _domains(turn.chooser, turn.by_now)]
    return tuple(min((one for one in runs if one is not None), default=None) for runs in zip(*by_domain, strict=True))


def _domains(chooser: Chooser, timeline: Timeline) -> Iterator[tuple[Chooser, Timeline]]:
    """List each domain as a timeline of its own if all members must be in one domain, else the whole timeline."""
    if not isinstance(chooser, OneDomainChooser):
        yield chooser, timeline
        return
    for ranks in chooser.domains(timeline):
        yield chooser.inner, timeline.of_ranks(ranks)


def _best(chooser: Chooser, timeline: Timeline, sizes: IntArray) -> list[Outline | None]:
    if isinstance(chooser, PlainChooser):
        return _best_plain(chooser.demand, timeline, sizes)
    assert isinstance(chooser, RolesChooser), "there are no other choosers"
    search = chooser.search(timeline)
    return [chooser.best_of_size(search, size) for size in sizes.tolist()]


def _best_plain(demand: Demand, timeline: Timeline, sizes: IntArray) -> list[Outline | None]:
    space, load = demand.search_space(timeline), demand.load
    among = np.flatnonzero(space.open_slots.instants <= demand.gang.promised)
    if load is None:
        by_start = (
            earliest_start(space.open_slots, sizes=sizes[[index]], pieces=demand.role.pieces, among=among)
            for index in range(len(sizes))
        )
        return [outline_of(found) for found in by_start]
    by_value = (
        load.where(load.sizes == size).best(replace(space, effort=effort_for_one()), among=among, limit=np.inf)
        for size in sizes.tolist()
    )
    return [outline_of(found) for found in by_value]
