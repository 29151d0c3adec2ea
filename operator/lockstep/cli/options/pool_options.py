"""The options for the nodes on which gangs are planned."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from lockstep.api.pool_options import parse_selector, parse_taint

T = TypeVar("T")


def _read(parse: Callable[[str], T], value: str) -> T:
    """Parse the value of an option. After a ValueError, the command ends with the error's message."""
    try:
        return parse(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


_NODE_SELECTOR = click.option(
    "--node-selector",
    metavar="KEY=VALUE[,KEY=VALUE...]",
    default="",
    show_default=False,
    callback=lambda _context, _option, value: _read(parse_selector, value),
    help="Labels of the nodes for gangs. Members get them as node selector. Default: all nodes.",
)
_POOL_TAINT = click.option(
    "--pool-taint",
    metavar="KEY[=VALUE]:EFFECT",
    multiple=True,
    callback=lambda _context, _option, values: tuple(_read(parse_taint, value) for value in values),
    help="Taint of the nodes for gangs (NoSchedule or NoExecute), which members tolerate. You can repeat this option.",
)


def pool_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the nodes of gangs to a command."""
    return _NODE_SELECTOR(_POOL_TAINT(command))
