"""The options for the log."""

from collections.abc import Callable
from typing import Any

import click

from lockstep.logs.formats import LogFormat

_LEVEL = click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    help="Least severe level that is logged.",
)


def log_options(default: LogFormat = LogFormat.TEXT) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--log-level`` and ``--log-format`` to a command. The value of ``--log-format`` is a ``LogFormat``."""
    log_format = click.option(
        "--log-format",
        type=click.Choice([one.value for one in LogFormat]),
        default=default.value,
        callback=lambda _context, _option, value: LogFormat(value),
        help="Format of the log: plain lines, or one JSON object per line.",
    )
    return lambda command: _LEVEL(log_format(command))
