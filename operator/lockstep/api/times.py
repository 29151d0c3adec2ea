"""Parses and formats durations and times of Kubernetes, as seconds.

Formatted times are limited to the years 1 to 9999. A cluster has few distinct durations, and many conditions changed in
the same second. So parsed durations and times are cached by text. This module imports little, since the agent must stay
small.
"""

import re
from datetime import UTC, date, datetime
from functools import lru_cache

import durationpy

# This accepts leap seconds, and all times that the API server accepts. So letters may have either case, any character
# may precede a fraction, an offset may have any two digits, and the year may be 0. Text after the time is ignored.
_TIME = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})[tT]"
    r"(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9]):(?P<second>[0-5][0-9]|60)(?:.(?P<fraction>[0-9]+))?"
    r"(?:[zZ]|(?P<offset_sign>[+-])(?P<offset_hours>[0-9]{2}):(?P<offset_minutes>[0-9]{2}))"
)
# The most characters of a duration. Kubernetes writes at most 25. The time to parse digits without a unit grows with
# the square of their number.
_LONGEST_DURATION = 100
_DAY_SECONDS = 86_400
_EPOCH_DAY = date(1970, 1, 1).toordinal()
# The Gregorian calendar repeats after these numbers of years and days.
_CALENDAR_YEARS, _CALENDAR_DAYS = 400, 146_097
_FIRST_SECOND = int(datetime.min.replace(tzinfo=UTC).timestamp())
_LAST_SECOND = int(datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp())


def duration_seconds(text: str) -> float:
    """The seconds of a Go duration such as ``1h30m``. Raises ``ValueError`` if it is invalid or too long."""
    if len(text) > _LONGEST_DURATION:
        raise ValueError(f"a duration of {len(text)} characters is too long to be read")
    return _duration_seconds(text)


@lru_cache(maxsize=10_000)
def _duration_seconds(text: str) -> float:
    seconds: float = durationpy.from_str(text).total_seconds()
    return seconds


@lru_cache(maxsize=10_000)
def epoch_seconds(text: str | None) -> float | None:
    """The seconds since 1970 of an RFC 3339 time; None stays None.

    Raises ``ValueError`` for a text that is no time, or for a date that does not exist.
    """
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
    """Days since the epoch. Python's calendar begins with the year 1, and the API server's with the year 0."""
    day = date(int(match["year"]) or _CALENDAR_YEARS, int(match["month"]), int(match["day"])).toordinal()
    return day - _EPOCH_DAY - (0 if int(match["year"]) else _CALENDAR_DAYS)


def rfc3339(seconds: float) -> str:
    """Format seconds since the epoch as a time of Kubernetes: UTC, rounded to the nearest second.

    A time outside of the years 1 to 9999 becomes the first or the last second of these years. A plan may have such a
    time, if a very long work is on a slow node.
    """
    formatted = datetime.fromtimestamp(round(min(max(seconds, _FIRST_SECOND), _LAST_SECOND)), tz=UTC)
    return f"{formatted.year:04}-{formatted:%m-%dT%H:%M:%SZ}"


def as_formatted(seconds: float | None) -> float | None:
    """The time as it would be read back from a status.

    So an unchanged time compares equal, and is written only once.
    """
    return None if seconds is None else epoch_seconds(rfc3339(seconds))
