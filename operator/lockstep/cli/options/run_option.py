"""The option that chooses runs of a sweep."""

import re
from collections.abc import Callable
from typing import Any

import click

_RUNS = re.compile(r"[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*")


def run_option(meaning: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the option ``--run``, a list of numbers of runs, to a command. Without the option, the value is ''."""
    return click.option("--run", "runs", metavar="RUNS", callback=_runs, help=meaning)


def _runs(_context: click.Context, _option: click.Parameter, value: str | None) -> str:
    if value is not None and not _RUNS.fullmatch(value):
        raise click.BadParameter(f"{value} is neither a run nor a list of runs such as 0-3,7")
    return value or ""
