"""Durations and times as Kubernetes spells them, as seconds.

Whatever an object says, times end at the years that can be spelled. A cluster has few distinct durations, and many
conditions that changed in the same second, so both are remembered by their spelling. It imports little: the agent has
to stay small.
"""

import re
from datetime import UTC, date, datetime
from functools import lru_cache

import durationpy

# As the API server accepts it: letters of either case, any sign before a fraction, any two digits as an offset, the
# year 0; and a leap second. What comes after a time is not looked at there either.
_TIME = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})[tT]"
    r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:.(?P<fraction>[0-9]+))?"
    r"(?:[zZ]|(?P<offset_sign>[+-])(?P<offset_hours>[0-9]{2}):(?P<offset_minutes>[0-9]{2}))"
)
_DAY_SECONDS = 86_400
_EPOCH_DAY = date(1970, 1, 1).toordinal()
# The Gregorian calendar repeats itself after so many years, and days.
_CALENDAR_YEARS, _CALENDAR_DAYS = 400, 146_097
_FIRST_SECOND = int(datetime.min.replace(tzinfo=UTC).timestamp())
_LAST_SECOND = int(datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp())


@lru_cache(maxsize=10_000)
def duration_seconds(text: str) -> float:
    """A Go duration (``1h30m``) in seconds."""
    seconds: float = durationpy.from_str(text).total_seconds()
    return seconds


@lru_cache(maxsize=10_000)
def epoch_seconds(text: str | None) -> float | None:
    """An RFC 3339 time in seconds since the epoch. Raises ``ValueError`` for what the API server would not accept."""
    if text is None:
        return None
    match = _TIME.match(text)
    if match is None:
        raise ValueError(f"{text} is not a time")
    offset = 3600 * int(match["offset_hours"] or 0) + 60 * int(match["offset_minutes"] or 0)
    of_day = 3600 * int(match["hour"]) + 60 * int(match["minute"]) + int(match["second"])
    whole = _DAY_SECONDS * _days(match) + of_day - (-offset if match["offset_sign"] == "-" else offset)
    return whole + float(f"0.{match['fraction'] or 0}")


def _days(match: re.Match[str]) -> int:
    """Days from the epoch; Python's calendar begins with the year 1, the API server's with the year 0."""
    day = date(int(match["year"]) or _CALENDAR_YEARS, int(match["month"]), int(match["day"])).toordinal()
    return day - _EPOCH_DAY - (0 if int(match["year"]) else _CALENDAR_DAYS)


def rfc3339(seconds: float) -> str:
    """Seconds since the epoch as Kubernetes spells a time: UTC, whole seconds, rounded to the nearest.

    A time beyond the last that can be spelled (a century of work on a slow node) becomes that last one, and one before
    the first that first one.
    """
    spelled = datetime.fromtimestamp(round(min(max(seconds, _FIRST_SECOND), _LAST_SECOND)), tz=UTC)
    return f"{spelled.year:04}-{spelled:%m-%dT%H:%M:%SZ}"


def as_spelled(seconds: float | None) -> float | None:
    """Equal to what is read again once it is written, so that it is written once."""
    return None if seconds is None else epoch_seconds(rfc3339(seconds))
