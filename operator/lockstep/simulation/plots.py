"""What came of several policies, as pictures; needs matplotlib, which is an extra."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from lockstep.simulation.averages import average
from lockstep.simulation.comparison import Load, Results, Trial
from lockstep.simulation.machine import Ran
from lockstep.simulation.measures import words_of

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
            if words_of(ran):
                yield f"starts-{trial.policy}.png", told_starts(trial.policy, ran)
    loads = {load: results for load, results in by_load.items() if load is not None}
    if len(loads) > 1:
        yield "slowdown.png", slowdown_over_load(loads)


def gantt(policy: str, runs: Sequence[Ran]) -> Figure:
    """Draw which nodes each job has when: nodes up, the fastest lowest, and time across."""
    boxes, colours = [], []
    for run in runs:
        for low, high in _neighbours(run.nodes):
            start, end = run.start / _HOUR, run.end / _HOUR
            boxes.append([(start, low), (end, low), (end, high), (start, high)])
            colours.append(_COLOURS[run.arrival.job.number % len(_COLOURS)])
    figure = Figure(_INCHES, layout="constrained")
    axes = figure.subplots()
    axes.add_collection(PolyCollection(boxes, facecolors=colours, edgecolors="white", linewidths=0.2))
    axes.autoscale()
    axes.set(title=policy, xlabel="hours", ylabel="node")
    return figure


def told_starts(policy: str, runs: Sequence[Ran]) -> Figure:
    """Draw the wait that jobs were told first, the likely and the promised one, over the one that it became."""
    told = words_of(runs)
    waits = [(run.first_start - run.submitted) / _HOUR for run, _ in told]
    figure = Figure(_INCHES, layout="constrained")
    axes = figure.subplots()
    promised = [(word.promised - run.submitted) / _HOUR for run, word in told]
    likely = [(word.likely - run.submitted) / _HOUR for run, word in told]
    axes.scatter(waits, promised, s=12, color=_COLOURS[4], label="promised")
    axes.scatter(waits, likely, s=12, color=_COLOURS[0], label="likely")
    axes.axline((1, 1), slope=1, color="black", linewidth=0.8)
    axes.set(title=policy, xlabel="wait, hours", ylabel="wait told first, hours", xscale="log", yscale="log")
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


def _neighbours(nodes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Join nodes that follow one another: return the first of each such row, and what comes after its last."""
    for _, row in groupby(enumerate(sorted(nodes)), key=lambda pair: pair[1] - pair[0]):
        numbers = [node for _, node in row]
        yield numbers[0], numbers[-1] + 1
