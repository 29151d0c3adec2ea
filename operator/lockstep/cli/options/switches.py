"""Options that are true or false."""

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def switch(name: str, meaning: str) -> Callable[[Command], Command]:
    """Add an option with the value true or false to a command. The default is false."""
    return click.option(name, metavar="BOOL", type=bool, default=False, help=meaning)
