"""The results of several policies, as pictures; needs matplotlib, which is an extra."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from lockstep.simulation.averages import average
from lockstep.simulation.comparison import Load, Results, Trial
from lockstep.simulation.machine import Ran
from lockstep.simulation.measures import promised_runs

_HOUR = 3600
_INCHES = (12.0, 6.0)
_COLOURS = ("#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377", "#bbbbbb", "#332288", "#882255")


def draw(folder: Path, by_load: Mapping[Load, Results], runs: Mapping[Trial, Sequence[Ran]]) -> list[str]:
    """Draw the first load and seed of each policy, and all loads if there are several; return the files' names."""
    figures = dict(_figures(by_load, runs))
    for name, figure in figures.items():
        figure.savefig(folder / name, dpi=100)
    return list(figures)


def _figures(by_load: Mapping[Load, Results], runs: Mapping[Trial, Sequence[Ran]]) -> Iterator[tuple[str, Figure]]:
    first = next(iter(runs))
    for trial, ran in runs.items():
        if (trial.load, trial.seed) == (first.load, first.seed):
            yield f"gantt-{trial.policy}.png", gantt(trial.policy, ran)
            if promised_runs(ran):
                yield f"starts-{trial.policy}.png", promised_starts(trial.policy, ran)
    loads = {load: results for load, results in by_load.items() if load is not None}
    if len(loads) > 1:
        yield "slowdown.png", slowdown_over_load(loads)


def gantt(policy: str, runs: Sequence[Ran]) -> Figure:
    """Draw the nodes of each job over time; the vertical axis has the nodes, with the fastest at the bottom."""
    boxes, colours = [], []
    for run in runs:
        for low, high in _consecutive(run.nodes):
            start, end = run.start / _HOUR, run.end / _HOUR
            boxes.append([(start, low), (end, low), (end, high), (start, high)])
            colours.append(_COLOURS[run.arrival.job.number % len(_COLOURS)])
    figure = Figure(_INCHES, layout="constrained")
    axes = figure.subplots()
    axes.add_collection(PolyCollection(boxes, facecolors=colours, edgecolors="white", linewidths=0.2))
    axes.autoscale()
    axes.set(title=policy, xlabel="hours", ylabel="node")
    return figure


def promised_starts(policy: str, runs: Sequence[Ran]) -> Figure:
    """Draw two points for each job, over its real wait: the wait until its first likely and first promised start."""
    waited = promised_runs(runs)
    waits = [(run.first_start - run.submitted) / _HOUR for run, _ in waited]
    figure = Figure(_INCHES, layout="constrained")
    axes = figure.subplots()
    promised = [(promises.promised - run.submitted) / _HOUR for run, promises in waited]
    likely = [(promises.likely - run.submitted) / _HOUR for run, promises in waited]
    axes.scatter(waits, promised, s=12, color=_COLOURS[4], label="promised")
    axes.scatter(waits, likely, s=12, color=_COLOURS[0], label="likely")
    axes.axline((1, 1), slope=1, color="black", linewidth=0.8)
    axes.set(title=policy, xlabel="wait, hours", ylabel="first reported wait, hours", xscale="log", yscale="log")
    axes.legend()
    return figure


def slowdown_over_load(by_load: Mapping[float, Results]) -> Figure:
    """Draw the mean slow-down of each policy over the load, with 95 % intervals."""
    figure = Figure(_INCHES, layout="constrained")
    axes = figure.subplots()
    loads = sorted(by_load)
    for number, policy in enumerate(by_load[loads[0]]):
        averages = [average([one.mean_slowdown for one in by_load[load][policy].values()]) for load in loads]
        means, errors = [one.mean for one in averages], np.nan_to_num([one.error for one in averages])
        axes.errorbar(loads, means, yerr=errors, capsize=3, color=_COLOURS[number % len(_COLOURS)], label=policy)
    axes.set(xlabel="load", ylabel="bounded slow-down", yscale="log")
    axes.legend()
    return figure


def _consecutive(nodes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Join consecutive nodes: yield the first number of each row, and the number after its last node."""
    for _, row in groupby(enumerate(sorted(nodes)), key=lambda pair: pair[1] - pair[0]):
        numbers = [node for _, node in row]
        yield numbers[0], numbers[-1] + 1
