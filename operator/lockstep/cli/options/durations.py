"""Durations in options."""

import click

from lockstep.api.times import duration_seconds


def as_seconds(_context: click.Context, _option: click.Parameter, value: str) -> float:
    """Parse a duration such as 10m or 1h30m into seconds; the only number without a unit is 0."""
    try:
        seconds = 0.0 if value == "0" else duration_seconds(value)
    except ValueError as error:
        message = f"{value} is not a duration such as 10m or 1h30m"
        raise click.BadParameter(message) from error
    if seconds < 0:
        message = "must not be negative"
        raise click.BadParameter(message)
    return seconds
