"""The option that names the file with the records."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def database_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--database`` to a command."""
    return click.option(
        "--database",
        metavar="PATH",
        type=click.Path(path_type=Path),
        default="/var/lib/lockstep/record.db",
        help="The recorder's file.",
    )(command)
