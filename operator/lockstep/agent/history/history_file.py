"""The agent's file: it has what the agent has learned about its node, also after a restart of the agent."""

import json
import math
import os
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

from lockstep.agent.history.history import DAY_HOURS, FIVES_AN_HOUR, KEPT_DAYS, OLDEST, Day, History, HourOfLoad
from lockstep.agent.history.hours import ClockHour
from lockstep.agent.measuring.capacity import KEPT_BESTS, REFERENCE, MeasuredCapacity
from lockstep.agent.measuring.small_files import read_text
from lockstep.api.nodebid.speeds import FASTEST, SLOWEST

FORMAT = "lockstep agent history"
VERSION = 1
LARGEST = 64 * 1024
"""The largest size in bytes; a full history has about a quarter of that."""

LATEST = 2.0**37
"""The latest time that is accepted, in epoch seconds. It is in the year 6325."""
AHEAD = 1
"""The number of days by which a day in the file may be later than today."""


@dataclass(slots=True)
class Learnt:
    """The contents of the file. ``owner`` has whether the node owner was present, and since when, in epoch seconds."""

    history: History = field(default_factory=History)
    capacity: MeasuredCapacity = field(default_factory=MeasuredCapacity)
    owner: tuple[bool, float] | None = None


class DropReason(StrEnum):
    """Why the file is not used."""

    TOO_LARGE = "TooLarge"
    CORRUPT = "Corrupt"
    FOREIGN = "Foreign"
    OLD = "Old"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A file that is not used; ``sentence`` says why."""

    reason: DropReason
    sentence: str


def load(path: Path, *, today: int, measured_on: str) -> Learnt | Dropped | None:
    """Read the file. Return None if there is none, and ``Dropped`` if it is not used.

    Rates of another processor or Python version than ``measured_on`` are left out.
    """
    text = read_text(path, limit=LARGEST + 1)
    if text is None:
        return None
    if len(text) > LARGEST:
        return Dropped(reason=DropReason.TOO_LARGE, sentence=f"{path} has more than {LARGEST} bytes.")
    try:
        document = json.loads(text)
        if not isinstance(document, dict) or document.get("format") != FORMAT or document.get("version") != VERSION:
            return Dropped(reason=DropReason.FOREIGN, sentence=f"{path} is no {FORMAT} of version {VERSION}.")
        learnt = _learnt(document, measured_on)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        return Dropped(reason=DropReason.CORRUPT, sentence=f"{path} cannot be understood.")
    return _if_young(learnt, path, today)


def save(path: Path, learnt: Learnt, measured_on: str) -> str | None:
    """Write the file atomically; return a sentence if this fails, and None otherwise.

    Any file in the place of the temporary file is removed first: a pipe would block, and a link would lead elsewhere.
    """
    new = path.with_name(path.name + ".new")
    try:
        new.unlink(missing_ok=True)
        with new.open("x", encoding="utf-8") as file:
            json.dump(_document(learnt, measured_on), file, separators=(",", ":"))
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        return f"{path} cannot be written: {new.name}: {error.strerror}."
    return None


def _if_young(learnt: Learnt, path: Path, today: int) -> Learnt | Dropped:
    days = _days(learnt.history)
    if not days or any(today - OLDEST <= day <= today + AHEAD for day in days):
        return learnt
    return Dropped(reason=DropReason.OLD, sentence=f"{path} has nothing of the last {OLDEST} days.")


def _days(history: History) -> list[int]:
    """Return all days with measurements, including the day of the current hour."""
    return [*history.days, *([history.running.day] if history.running else [])]


def _document(learnt: Learnt, measured_on: str) -> dict[str, Any]:
    history, running = learnt.history, learnt.history.running
    return {
        "format": FORMAT,
        "version": VERSION,
        "days": [[day, [hour and _rounded(hour) for hour in hours]] for day, hours in history.days.items()],
        "running": [*running, [_rounded(five) for five in history.fives]] if running else None,
        "owner": learnt.owner,
        "measuredOn": measured_on,
        "bests": learnt.capacity.bests,
    }


def _rounded(hour: HourOfLoad) -> list[float]:
    return [round(hour.lost, 4), round(hour.present, 4)]


def _learnt(document: dict[str, Any], measured_on: str) -> Learnt:
    """Parse a document. If a field is missing or invalid, this raises one of the errors that ``load`` catches."""
    running = document["running"]
    bests = document["bests"] if document["measuredOn"] == measured_on else []
    return Learnt(
        history=History(
            days={_date(day): _day(hours) for day, hours in document["days"][-KEPT_DAYS:]},
            running=ClockHour(_date(running[0]), _within(running[1], DAY_HOURS)) if running else None,
            fives=[_hour(five) for five in running[2][-FIVES_AN_HOUR:]] if running else [],
        ),
        capacity=MeasuredCapacity(bests=[(_moment(at), _rate(rate)) for at, rate in bests[-KEPT_BESTS:]]),
        owner=_owner(document["owner"]),
    )


def _day(hours: Any) -> Day:
    if len(hours) != DAY_HOURS:
        raise ValueError
    return [None if hour is None else _hour(hour) for hour in hours]


def _hour(pair: Any) -> HourOfLoad:
    lost, present = map(_finite, pair)
    if not (0 <= lost <= 1 and 0 <= present <= 1):
        raise ValueError
    return HourOfLoad(lost, present)


def _owner(pair: Any) -> tuple[bool, float] | None:
    if pair is None:
        return None
    present, since = pair
    return bool(present), _moment(since)


def _date(day: Any) -> int:
    return date.fromordinal(day).toordinal()


def _within(hour: Any, limit: int) -> int:
    if not (isinstance(hour, int) and 0 <= hour < limit):
        raise ValueError
    return hour


def _moment(seconds: Any) -> float:
    """Check a time in epoch seconds: it must be from 0 to ``LATEST``. Raises ``ValueError``."""
    if not 0 <= (moment := _finite(seconds)) < LATEST:
        raise ValueError
    return moment


def _rate(number: Any) -> float:
    """Check a rate in rounds per second: it must be a speed that a bid may have. Raises ``ValueError``."""
    if not SLOWEST * REFERENCE <= (rate := _finite(number)) <= FASTEST * REFERENCE:
        raise ValueError
    return rate


def _finite(number: Any) -> float:
    if not isinstance(number, int | float) or not math.isfinite(number):
        raise ValueError
    return float(number)
