"""Recorded series of owners: a text file with one line for each observation of a node.

The first line names the columns: ``node,time,present`` or ``node,time,load``. ``time`` is ISO 8601, in UTC without a
zone, or seconds since 1970. ``present`` is 1 or 0; ``load`` is the share of the node that its own work uses. A line
holds until the next line of its node, for a day at most. At all other times the owner is away.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise

from lockstep.simulation.presence.stays import DAY, HISTORY_WEEKS, WEEK, Stays, stays_of

LEAST_LOAD = 0.1
"""With at least this share of a node's processors in use, its owner is there."""
LEAST_WEEKS = HISTORY_WEEKS + 1

_COLUMNS = (["node", "time", "present"], ["node", "time", "load"])
_FIRST_MONDAY = 4 * DAY
_LATEST = 2.0**37
_LONGEST_WEEKS = 520
"""Ten years: a longer series has a year with one digit too many, and is refused."""


class SeriesError(ValueError):
    """No owners can be read from the file."""


@dataclass(slots=True)
class Series:
    """The owners of a file, in the order of their nodes' names; ``wrong`` has a message for each wrong line."""

    stays: list[Stays] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def read_series(lines: Iterable[str]) -> Series:
    """Read owners; wrong lines are left out. Raises ``SeriesError``."""
    series, rows = Series(), iter(lines)
    head = _cells(next(rows, ""))
    if head not in _COLUMNS:
        raise SeriesError("the first line is neither node,time,present nor node,time,load")
    seen: dict[str, dict[float, bool]] = {}
    for number, row in enumerate(rows, 2):
        try:
            if row.strip():
                node, time, is_there = _seen(_cells(row), head[-1])
                seen.setdefault(node, {})[time] = is_there
        except ValueError as error:
            series.wrong.append(f"line {number}: {error}")
    series.stays = _stays(seen)
    return series


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split(",")]


def _seen(row: list[str], kind: str) -> tuple[str, float, bool]:
    if len(row) != len(_COLUMNS[0]):
        raise ValueError(f"{len(row)} values, not {len(_COLUMNS[0])}")
    node, time, value = row
    if not node:
        raise ValueError("no node")
    number = float(value)
    if not 0 <= number < math.inf or (kind == "present" and number not in {0, 1}):
        raise ValueError(f"{value} is no {kind}")
    return node, _seconds(time), number == 1 if kind == "present" else number >= LEAST_LOAD


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        time = datetime.fromisoformat(text)
        seconds = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    if not 0 <= seconds <= _LATEST:
        raise ValueError(f"{text} is not a time")
    return seconds


def _stays(seen: dict[str, dict[float, bool]]) -> list[Stays]:
    times = [time for of_node in seen.values() for time in of_node]
    first, last = min(times, default=0.0), max(times, default=0.0)
    begin = (first - _FIRST_MONDAY) // WEEK * WEEK + _FIRST_MONDAY
    weeks = math.ceil((last - begin) / WEEK)
    if not LEAST_WEEKS <= weeks <= _LONGEST_WEEKS or last - first < (LEAST_WEEKS - 1) * WEEK:
        raise SeriesError(
            f"{(last - first) / DAY:.0f} days are recorded: {LEAST_WEEKS} to {_LONGEST_WEEKS} weeks are needed"
        )
    return [stays_of([(a - begin, b - begin) for a, b in _there(seen[node])], weeks) for node in sorted(seen)]


def _there(of_node: dict[float, bool]) -> Iterator[tuple[float, float]]:
    """List the beginning and the end of each stay of the owner, rising; one stay may begin at the end of another."""
    times = sorted(of_node)
    for time, after in pairwise([*times, math.inf]):
        if of_node[time]:
            yield time, min(after, time + DAY)
