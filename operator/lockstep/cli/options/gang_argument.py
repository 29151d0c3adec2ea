"""The argument that names a gang, in the form of kubectl: gj/NAME or gang/NAME, or only the name of a GangJob."""

import re
from collections.abc import Callable
from typing import Any

import click

from coschedule import GangKey
from lockstep.cli.options.gang_names import (
    GANG_JOB_WORDS,
    GANG_WORDS,
    SWEEP_WORDS,
    complete_any_gang,
    complete_gang,
    complete_gang_or_sweep,
)
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.runs.sweep_keys import sweep_key

Command = Callable[..., Any]
KeyIn = Callable[[str], GangKey]
"""Returns the key of a gang in a namespace that is known later."""


# Text that does not match is not a name, and must not become a part of a URL.
_NAME = re.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


def gang_argument(command: Command) -> Command:
    """Add the argument ``gang`` for a GangJob to a command. Its value is the name."""
    return click.argument("gang", metavar="gj/NAME", callback=_gang_job_name, shell_complete=complete_gang)(command)


def any_gang_argument(command: Command) -> Command:
    """Add the argument ``gang`` for a GangJob, a Gang or a GangSweep to a command. Its value is a ``KeyIn``."""
    metavar = "gj/NAME|gang/NAME|sweep/NAME"
    return click.argument("gang", metavar=metavar, callback=_any_gang, shell_complete=complete_any_gang)(command)


def gang_or_sweep_argument(command: Command) -> Command:
    """Add the argument ``gang`` for a GangJob or a GangSweep to a command. Its value is a ``KeyIn``."""
    complete = complete_gang_or_sweep
    return click.argument("gang", metavar="gj/NAME|sweep/NAME", callback=_gang_or_sweep, shell_complete=complete)(
        command
    )


def _gang_or_sweep(_context: click.Context, _argument: click.Parameter, value: str) -> KeyIn:
    kind, slash, name = value.rpartition("/")
    if (slash and kind.lower() not in GANG_JOB_WORDS | SWEEP_WORDS) or not _NAME.fullmatch(name):
        raise click.BadParameter(f"{value} names neither a GangJob nor a GangSweep: write gj/NAME or sweep/NAME")
    return lambda namespace: sweep_key(namespace, name) if kind.lower() in SWEEP_WORDS else GangKey(namespace, name)


def _gang_job_name(_context: click.Context, _argument: click.Parameter, value: str) -> str:
    """The name of a GangJob, without its kind."""
    kind, slash, name = value.rpartition("/")
    if (slash and kind.lower() not in GANG_JOB_WORDS) or not _NAME.fullmatch(name):
        raise click.BadParameter(f"{value} names no GangJob: write gj/NAME")
    return name


def _any_gang(_context: click.Context, _argument: click.Parameter, value: str) -> KeyIn:
    kind, slash, name = value.rpartition("/")
    if kind.lower() in SWEEP_WORDS and _NAME.fullmatch(name):
        return lambda namespace: sweep_key(namespace, name)
    if (slash and kind.lower() not in GANG_JOB_WORDS | GANG_WORDS) or not _NAME.fullmatch(name):
        raise click.BadParameter(
            f"{value} names no GangJob, Gang or GangSweep: write gj/NAME, gang/NAME or sweep/NAME. kubectl get gangs "
            "lists the Gangs of Jobs and other owners"
        )
    return lambda namespace: pod_gang_key(namespace, name) if kind.lower() in GANG_WORDS else GangKey(namespace, name)
