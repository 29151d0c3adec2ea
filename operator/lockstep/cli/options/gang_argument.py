"""The argument that names a gang, as with kubectl: gj/NAME, or the name alone."""

import re
from collections.abc import Callable
from typing import Any

import click

from lockstep.api.names import GANG_KIND, GANGS, GROUP
from lockstep.cli.options.gang_names import complete_gang

Command = Callable[..., Any]

# Anything else is no name, and must not become a part of a URL.
_NAME = re.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_KINDS = frozenset({"gj", GANG_KIND.lower(), GANGS, f"{GANG_KIND.lower()}.{GROUP}", f"{GANGS}.{GROUP}"})


def _gang_name(_context: click.Context, _argument: click.Parameter, value: str) -> str:
    """The name of a gang, without its kind."""
    kind, slash, name = value.rpartition("/")
    if (slash and kind.lower() not in _KINDS) or not _NAME.fullmatch(name):
        raise click.BadParameter(f"{value} names no GangJob: write gj/NAME")
    return name


def gang_argument(command: Command) -> Command:
    """Add the argument for the gang to a command."""
    return click.argument("gang", metavar="gj/NAME", callback=_gang_name, shell_complete=complete_gang)(command)
