"""The options of simulations for jobs that change size while they run: which jobs do so, and what a change costs."""

from collections.abc import Callable, Mapping
from typing import Any

import click

from coschedule import ChangeTerms
from lockstep.cli.options.durations import as_seconds
from lockstep.cli.options.number_range import NumberRange

Command = Callable[..., Any]

_SHARE = click.option(
    "--elastic-share",
    metavar="NUMBER",
    type=NumberRange(0, 1),
    default=1.0,
    help="Part of the jobs that may change their sizes while they run (elastic).",
)
_RESTART_TIME = click.option(
    "--restart-time",
    metavar="DURATION",
    default="120s",
    callback=as_seconds,
    help="For so long a job holds its new nodes after a change and does no work.",
)
_MIN_INTERVAL = click.option(
    "--min-interval",
    metavar="DURATION",
    default="10m",
    callback=as_seconds,
    help="No job changes its size more often.",
)


def elastic_options(command: Command) -> Command:
    """Add these options to a command."""
    return _SHARE(_RESTART_TIME(_MIN_INTERVAL(command)))


def change_terms_of(options: Mapping[str, Any]) -> ChangeTerms:
    """Return how long a job does no work after a change of size, and the shortest time between two changes."""
    return ChangeTerms(restart_time=options["restart_time"], min_interval=options["min_interval"])
