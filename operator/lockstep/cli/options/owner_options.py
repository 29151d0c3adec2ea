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
    help="Owners who take nodes back. 0.25@9-17: of a quarter of the nodes, every working day, as all know; "
    "0.25@habits: unannounced, by habits that are drawn; or a file of recorded ones (docs/decisions.md).",
)
_ON_RETURN = click.option(
    "--on-return",
    type=click.Choice([one.value for one in OnReturn]),
    default=OnReturn.EVICT.value,
    callback=lambda _context, _option, value: OnReturn(value),
    help="Whether members stay when a node owner comes unannounced.",
)
_DUTY_CYCLE = click.option(
    "--duty-cycle",
    metavar="NUMBER",
    type=NumberRange(0, 1000),
    default=OwnerTerms().duty_cycle,
    help="An owner's work beside members that stay (Keep).",
)
_INTERRUPTIBLE = click.option(
    "--interruptible",
    type=click.Choice([one.value for one in Interruptible]),
    default=Interruptible.NEVER.value,
    callback=lambda _context, _option, value: Interruptible(value),
    help="Whether jobs may be where an owner is expected back.",
)
_CHECKPOINTS = click.option(
    "--checkpoint-interval",
    metavar="DURATION",
    default="15m",
    callback=as_seconds,
    help="How often jobs save their work that are Checkpointed.",
)


def owner_options(command: Command) -> Command:
    """Add these options to a command."""
    return _OWNERS(_ON_RETURN(_DUTY_CYCLE(_INTERRUPTIBLE(_CHECKPOINTS(command)))))


def terms_of(options: Mapping[str, Any]) -> OwnerTerms:
    """Return what happens to jobs when owners come back."""
    saves = options["interruptible"] is Interruptible.CHECKPOINTED
    if saves and not options["checkpoint_interval"]:
        raise click.UsageError("--checkpoint-interval must be positive.")
    return OwnerTerms(
        on_return=options["on_return"],
        duty_cycle=options["duty_cycle"],
        interruptible=options["interruptible"],
        checkpoint_interval=options["checkpoint_interval"] if saves else math.inf,
    )
