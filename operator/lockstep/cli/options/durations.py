"""Durations as options have them."""

import click

from lockstep.api.times import duration_seconds


def as_seconds(_context: click.Context, _option: click.Parameter, value: str) -> float:
    """A duration such as 10m or 1h30m; a number without a unit can only be 0."""
    try:
        seconds = 0.0 if value == "0" else duration_seconds(value)
    except ValueError as error:
        message = f"{value} is not a duration such as 10m or 1h30m"
        raise click.BadParameter(message) from error
    if seconds < 0:
        message = "must not be negative"
        raise click.BadParameter(message)
    return seconds
