"""The options of simulations for jobs that change their size while they run: which jobs, and the cost of a change."""

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
    help="Share of the jobs that are elastic: they may change their size while they run.",
)
_RESTART_TIME = click.option(
    "--restart-time",
    metavar="DURATION",
    default="120s",
    callback=as_seconds,
    help="Time without work after a job changes its size. The job holds its new nodes meanwhile.",
)
_MIN_INTERVAL = click.option(
    "--min-interval",
    metavar="DURATION",
    default="10m",
    callback=as_seconds,
    help="Shortest time between two changes of a job's size.",
)


def elastic_options(command: Command) -> Command:
    """Add the options for jobs that change their size to a command."""
    return _SHARE(_RESTART_TIME(_MIN_INTERVAL(command)))


def change_terms_of(options: Mapping[str, Any]) -> ChangeTerms:
    """Return for how long a job does no work after a change of its size, and the shortest time between two changes."""
    return ChangeTerms(restart_time=options["restart_time"], min_interval=options["min_interval"])
