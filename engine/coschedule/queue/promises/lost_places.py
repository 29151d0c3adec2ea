"""The part of the previous plan that is no longer possible on a new snapshot."""

import heapq

from coschedule.queue.planner.observer import silent
from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.order import by_priority
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.promises.in_turn import kept_start
from coschedule.queue.promises.keeping_places import keep

MOST_PLACES = 250
"""The most places that are counted. Counting a thousand places may take as long as a plan that keeps them."""


def part_lost(snapshot: Snapshot) -> float:
    """Return the part of the places of the previous plan for which there is no room together; 0 without a place.

    There still is room for a place if its gang can start there when planned, or later but by its promise. This takes
    much less time than a plan in which many gangs are planned again. A gang for which this raises an exception loses
    its place. Refused gangs do not count. Of more than ``MOST_PLACES`` places, those with the earliest starts count.
    """
    planner, had, lost = Planner(snapshot, silent, lambda _gang, _error: None), 0, 0
    refused = planner.refused
    placed = (gang for gang in snapshot.gangs if gang.kept is not None and gang.key not in refused)
    for gangs in by_priority(heapq.nsmallest(MOST_PLACES, placed, key=lambda gang: (kept_start(gang), gang.key))):
        with_place = sorted(gangs, key=kept_start)
        keeping = keep(planner, with_place, apart=())
        had, lost = had + len(with_place), lost + len(with_place) - len(keeping.places)
        planner = keeping.whole
    return lost / had if had else 0.0
