"""Options that are true or false."""

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def switch(name: str, meaning: str) -> Callable[[Command], Command]:
    """Add an option to a command that is true or false. It is false by default."""
    return click.option(name, metavar="BOOL", type=bool, default=False, help=meaning)
