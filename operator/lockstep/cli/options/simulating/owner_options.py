"""The options of simulations for node owners: which nodes have them, and what happens when they come back."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from coschedule import Interruptible
from lockstep.cli.options.durations import as_seconds
from lockstep.cli.options.number_range import NumberRange
from lockstep.facts.cluster.node import OnReturn
from lockstep.simulation.presence.office_hours import OfficeHours, OwnersError, owners_of
from lockstep.simulation.presence.owners import ComingOwners, RecordedOwners, drawn_owners_of
from lockstep.simulation.presence.recorded import SeriesError, read_series
from lockstep.simulation.presence.terms import OwnerTerms

Command = Callable[..., Any]


def _owners(_context: click.Context, _option: click.Parameter, value: str | None) -> OfficeHours | ComingOwners | None:
    if value is None:
        return None
    drawn = drawn_owners_of(value)
    if drawn is not None:
        return drawn
    if Path(value).is_file():
        return _recorded(Path(value))
    try:
        return owners_of(value)
    except OwnersError as error:
        raise click.BadParameter(f"{error}, nor a share with habits, such as 0.25@habits, nor a file") from error


def _recorded(path: Path) -> RecordedOwners:
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            series = read_series(lines)
    except OSError as error:
        raise click.BadParameter(f"{path} can't be read: {error.strerror}") from error
    except SeriesError as error:
        raise click.BadParameter(f"{path}: {error}") from error
    for problem in series.wrong:
        click.echo(f"{path}: {problem}; it is left out.", err=True)
    return RecordedOwners(series.stays)


_OWNERS = click.option(
    "--owners",
    metavar="SPEC|FILE",
    callback=_owners,
    help="When owners take their nodes back. 0.25@9-17: owners of a quarter of the nodes come at known hours of every "
    "working day. 0.25@habits: they come unannounced, by random habits. FILE: recorded visits, as "
    "docs/decisions.md describes.",
)
_ON_RETURN = click.option(
    "--on-return",
    type=click.Choice([one.value for one in OnReturn]),
    default=OnReturn.EVICT.value,
    callback=lambda _context, _option, value: OnReturn(value),
    help="What happens to members when a node owner comes unannounced. Keep: they stay. Pace: they stay with less CPU. "
    "Evict: they leave.",
)
_DUTY_CYCLE = click.option(
    "--duty-cycle",
    metavar="NUMBER",
    type=NumberRange(0, 1000),
    default=OwnerTerms().duty_cycle,
    help="Duty cycle of an owner beside members that stay (Keep). At 0.25, members take 1.25 times as long.",
)
_INTERRUPTIBLE = click.option(
    "--interruptible",
    type=click.Choice([one.value for one in Interruptible]),
    default=Interruptible.NEVER.value,
    callback=lambda _context, _option, value: Interruptible(value),
    help="Whether jobs use nodes whose owner is expected back. Never: they do not. Checkpointed: a return costs the "
    "work since the last checkpoint. Freely: a return costs the work since the start.",
)
_CHECKPOINTS = click.option(
    "--checkpoint-interval",
    metavar="DURATION",
    default="15m",
    callback=as_seconds,
    help="Time between two checkpoints of a job, with --interruptible Checkpointed.",
)


def owner_options(command: Command) -> Command:
    """Add the options for node owners to a command."""
    return _OWNERS(_ON_RETURN(_DUTY_CYCLE(_INTERRUPTIBLE(_CHECKPOINTS(command)))))


def terms_of(options: Mapping[str, Any]) -> OwnerTerms:
    """Return the terms that say what happens to jobs when owners come back."""
    saves = options["interruptible"] is Interruptible.CHECKPOINTED
    if saves and not options["checkpoint_interval"]:
        raise click.UsageError("--checkpoint-interval must be positive.")
    return OwnerTerms(
        on_return=options["on_return"],
        duty_cycle=options["duty_cycle"],
        interruptible=options["interruptible"],
        checkpoint_interval=options["checkpoint_interval"] if saves else math.inf,
    )
