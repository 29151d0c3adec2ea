"""Parses times in options: durations, periods, and points in time."""

import re
from time import time

import click

from lockstep.api.times import duration_seconds, epoch_seconds

_DAYS = re.compile(r"([0-9]{1,5})([dw])")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAY_SECONDS = 86_400


def as_seconds(_context: click.Context, _option: click.Parameter, value: str) -> float:
    """Parse a duration such as 10m or 1h30m into seconds. Only 0 needs no unit."""
    try:
        seconds = 0.0 if value == "0" else duration_seconds(value)
    except ValueError as error:
        message = f"{value} is not a duration such as 10m or 1h30m"
        raise click.BadParameter(message) from error
    if seconds < 0:
        message = "must not be negative"
        raise click.BadParameter(message)
    return seconds


def period_seconds(_context: click.Context, _option: click.Parameter, value: str) -> float:
    """Parse ``90d``, ``4w`` or a duration such as ``12h`` into seconds."""
    try:
        return _seconds(value)
    except ValueError as error:
        raise click.BadParameter(f"{value} is not a time such as 90d, 4w or 12h") from error


def time_of(_context: click.Context, _option: click.Parameter, value: str | None) -> int | None:
    """Parse a point in time into seconds since 1970; None stays None.

    The value has the form ``2026-11-01`` or ``2026-11-01T12:00:00Z``, or is an age such as ``30d``, ``4w`` or ``12h``,
    which counts back from now.
    """
    if value is None:
        return None
    try:
        return round(_time(value))
    except ValueError as error:
        message = f"{value} is neither a date such as 2026-11-01 nor a time ago such as 30d, 4w or 12h"
        raise click.BadParameter(message) from error


def _time(value: str) -> float:
    if _DATE.match(value):
        seconds = epoch_seconds(f"{value}T00:00:00Z" if _DATE.fullmatch(value) else value)
        assert seconds is not None, "a time was given"
        return seconds
    return time() - _seconds(value)


def _seconds(value: str) -> float:
    days = _DAYS.fullmatch(value)
    if days is not None:
        return int(days[1]) * _DAY_SECONDS * (7 if days[2] == "w" else 1)
    return duration_seconds(value)
