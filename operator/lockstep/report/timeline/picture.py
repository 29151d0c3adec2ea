"""The timeline for the page, as plain values for JSON.

It does not contain the current time, so it stays equal while nothing changes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from coschedule import GangKey
from lockstep.api.names import GANG_KIND, POD_GANG_KIND
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.report.text.sentences import node_ranges
from lockstep.report.timeline.bars import Bar, NextNodes, Stage, bars
from lockstep.report.timeline.facts import TimelineFacts
from lockstep.report.timeline.occupied import as_seen
from lockstep.report.timeline.rows import BarInRow, Row, rows
from lockstep.report.timeline.waiting import says, waiting

# Users do not read ten thousand waiting gangs.
_MOST_WAITING = 200
_LONGEST_SENTENCE = 1000


def draw(facts: TimelineFacts, sees: Callable[[GangKey], bool] = lambda _: True) -> dict[str, Any]:
    """The whole picture. Times are seconds since the epoch, or None if unknown.

    Only gangs that ``sees`` allows are named.

    ``gangs`` are the bars; ``next`` is the part of a bar after its step. ``kinds`` are the speeds of nodes, each with
    its ``rows``. Each entry in the ``bars`` of a row has the number of the bar in ``gangs``, its lane, and its members
    on each node. An entry may also have its start and finish on these nodes; None means the start or finish of the bar.
    ``waiting`` are the gangs without a bar: at most 200 of ``waitingInAll`` gangs.
    """
    shown = as_seen(bars(facts), sees)
    unplaced = [gang for gang in waiting(facts, shown) if sees(gang.key)]
    return {
        "gangs": [_gang(facts, bar) for bar in shown],
        "kinds": list(_kinds(rows(facts, shown))),
        "waiting": [_waiting(gang) for gang in unplaced[:_MOST_WAITING]],
        "waitingInAll": len(unplaced),
    }


def _gang(facts: TimelineFacts, bar: Bar) -> dict[str, Any]:
    return {
        "namespace": bar.gang.namespace,
        "name": bar.gang.name,
        "stage": bar.stage,
        "size": bar.size,
        "start": _time(bar.start),
        "finish": _time(bar.finish),
        "promised": _time(bar.promised),
        "nodes": node_ranges(list(bar.nodes)),
        "next": None if bar.then is None else _next(bar.then),
        "says": "" if bar.stage is Stage.OTHERS else _says(bar.gang, facts.gangs.get(bar.gang)),
    }


def _says(key: GangKey, gang: GangFact | None) -> str:
    if gang is None:
        return f"Its {POD_GANG_KIND if is_pod_gang(key) else GANG_KIND} is gone."
    return says(gang)[:_LONGEST_SENTENCE]


def _next(then: NextNodes) -> dict[str, Any]:
    return {"size": then.size, "at": _time(then.at), "nodes": node_ranges(list(then.nodes))}


def _kinds(found: Iterable[Row]) -> Iterator[dict[str, Any]]:
    for speed, alike in groupby(found, key=lambda row: row.offer.speed):
        yield {"speed": speed, "rows": [_row(row) for row in alike]}


def _row(row: Row) -> dict[str, Any]:
    return {
        "nodes": node_ranges(row.nodes),
        "count": len(row.nodes),
        "opens": _time(row.offer.opens),
        "closes": _time(row.offer.closes),
        "shut": row.offer.why_closed,
        "lanes": 1 + max((entry.lane for entry in row.entries), default=0),
        "bars": [_bar_in_row(entry) for entry in row.entries],
    }


def _bar_in_row(entry: BarInRow) -> Sequence[float | None]:
    members, start, finish = entry.part
    times = [] if start is None and finish is None else [_time(start), _time(finish)]
    return [entry.bar, entry.lane, members, *times]


def _waiting(gang: GangFact) -> dict[str, Any]:
    return {"namespace": gang.key.namespace, "name": gang.key.name, "says": _says(gang.key, gang)}


def _time(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)
