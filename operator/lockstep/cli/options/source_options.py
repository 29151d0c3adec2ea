"""The options for the sources of Gangs, and for the sources whose Gangs may be preempted."""

from collections.abc import Callable
from typing import Any

import click

from lockstep.api.podgang.sizing.sized_kind import sized_kinds
from lockstep.cli.options.durations import as_seconds
from lockstep.cli.options.switches import switch
from lockstep.facts.gang.source import Source

_ALL = "all"


def _option(name: str, meaning: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """An option whose value is a list of sources."""
    return click.option(
        name,
        metavar="SOURCE[,SOURCE...]|all",
        default="",
        show_default=False,
        callback=lambda _context, _option, value: _parse(value),
        help=meaning,
    )


_SOURCES = _option(
    "--sources",
    f"Pods to place as gangs beside GangJobs. Choices: {', '.join(Source)}; or all. docs/place-what-you-have.md "
    "explains each. Default: none.",
)
_YIELDING = _option(
    "--yielding",
    "Sources whose Gangs may be preempted by urgent gangs. The operator then suspends the owner of the pods. "
    "Default: none.",
)


_SWEEPS = switch(
    "--sweeps", "Whether the operator runs GangSweeps. It then creates and deletes the GangJobs of their runs."
)


_QUOTA_WAIT = click.option(
    "--quota-wait",
    metavar="DURATION",
    default="30m",
    callback=as_seconds,
    help="A Workload of Kueue gives its quota back if its start is farther away than this.",
)


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for sources, for Workloads and for sweeps to a command."""
    return _SOURCES(_QUOTA_WAIT(_SWEEPS(command)))


def yielding_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option for sources, and the option for sources whose Gangs may be preempted, to a command.

    The operator does not have the second option: its rights decide which Gangs may be preempted.
    """
    return _SOURCES(_YIELDING(command))


def _parse(text: str) -> frozenset[Source]:
    """Parse ``SOURCE[,SOURCE...]`` or ``all``; '' means no source."""
    if text == _ALL:
        return frozenset(Source)
    sources = frozenset(_source(part) for part in text.split(",")) if text else frozenset()
    for kind in sized_kinds(sources):
        if kind.source not in sources:
            raise click.BadParameter(f"{kind.option} needs {kind.source}: write {kind.source},{kind.option}")
    return sources


def _source(name: str) -> Source:
    try:
        return Source(name)
    except ValueError as error:
        raise click.BadParameter(
            f"{name!r} is not a source: choose from {', '.join(Source)}, or write {_ALL}"
        ) from error
