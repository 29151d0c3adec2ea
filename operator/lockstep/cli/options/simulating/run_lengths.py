"""Options of simulated sweeps: the clusters, and the length of a run at each size."""

import re

import click

from lockstep.cli.options.durations import as_seconds
from lockstep.simulation.sweeps.sweep import StationCluster

_CLUSTER = re.compile(r"([1-9][0-9]{0,4})(?:x([0-9]+(?:\.[0-9]+)?))?")
_TIME = re.compile(r"([1-9][0-9]{0,4}):([0-9]+(?:\.[0-9]+)?)")


def clusters_of(_context: click.Context, _option: click.Parameter, value: str) -> list[StationCluster]:
    """Parse clusters such as ``24,24`` or ``30,6x3``: the nodes of each cluster, and their speed after the ``x``."""
    clusters = []
    for part in value.split(","):
        found = _CLUSTER.fullmatch(part.strip())
        speed = float(found[2] or 1) if found else 0.0
        if found is None or not speed:
            raise click.BadParameter(
                f"{part.strip()!r} is neither a number of nodes such as 24 nor one with a speed such as 6x3"
            )
        clusters.append(StationCluster(int(found[1]), speed))
    return clusters


def times_of(_context: click.Context, _option: click.Parameter, value: str) -> dict[int, float]:
    """Parse ``1:1382.5,3:557.5``: the seconds of a run at each size."""
    times: dict[int, float] = {}
    for part in value.split(","):
        found = _TIME.fullmatch(part.strip())
        seconds = float(found[2]) if found else 0.0
        if found is None or not seconds:
            raise click.BadParameter(f"{part.strip()!r} is not a size with its seconds above 0, such as 3:557.5")
        if int(found[1]) in times:
            raise click.BadParameter(f"size {found[1]} is given twice")
        times[int(found[1])] = seconds
    return times


def length_of(context: click.Context, option: click.Parameter, value: str | None) -> float | None:
    """Parse a duration above 0 into seconds; None stays None."""
    if value is None:
        return None
    seconds = as_seconds(context, option, value)
    if not seconds:
        raise click.BadParameter("must be above 0")
    return seconds
