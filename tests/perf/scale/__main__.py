"""``make scale``: one table of loads on 5,000 nodes, for Lockstep, kube-scheduler's own gangs, Kueue and a lean client.

Each contender runs alone on a control plane that has just started; contenders alternate, in three rounds. The table
has medians and ranges.
"""

import argparse
import asyncio
import statistics
from collections.abc import Callable, Coroutine, Mapping, Sequence
from itertools import product
from time import monotonic
from typing import Any, NamedTuple

import uvloop
from rich.console import Console
from rich.table import Table
from scale.bursts import Figures, loads_of_scheduler_perf, very_many_pods
from scale.cluster import CPU, Ground, ground, observed, untainted
from scale.contenders import Contender, KubeScheduler, LeanClient, Lockstep
from scale.full import beside_hopeless, places_become_free, until_none_fits
from scale.kueue import Kueue
from scale.observer import Observer
from scale.steady import come_and_go

from lockstep.api.client.client import KubeClient

Measure = Callable[[Ground, KubeClient, Observer, float], Coroutine[Any, Any, Figures]]


class Load(NamedTuple):
    """What is put on a cluster. ``lean``: also on a client that decides nothing; elsewhere it means nothing for it."""

    measure: Measure
    lean: bool = False


LOADS: Mapping[str, Load] = {
    "A": Load(loads_of_scheduler_perf, lean=True),
    "B": Load(very_many_pods, lean=True),
    "C": Load(come_and_go),
    "D": Load(beside_hopeless),
    "E": Load(places_become_free),
    "F": Load(until_none_fits),
}


class Run(NamedTuple):
    """One contender with one load."""

    load: str
    contender: str
    figures: Figures


def main() -> None:
    """Measure, print each run when it ends, and the table at the end or when the time is over."""
    asked = _parse()
    console, until = Console(), monotonic() + 60 * asked.minutes
    runs: list[Run] = []
    try:
        for number, load in product(range(asked.rounds), asked.loads):
            for contender in _contenders(LOADS[load], asked.nodes, first=number):
                if monotonic() < until:
                    runs.append(_run(load, contender, asked.nodes, asked.share))
                    console.print(runs[-1])
    finally:
        console.print(_table(runs))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scale", description=__doc__)
    parser.add_argument("--loads", default="".join(LOADS), help="letters of the loads")
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=float, default=1.0, help="so much of each load: a small one is a trial only")
    parser.add_argument("--minutes", type=float, default=240.0, help="begin nothing after that time")
    return parser.parse_args()


def _contenders(load: Load, nodes: int, *, first: int) -> list[Contender]:
    """Those that this load means something for; each round begins with another one."""
    lean: list[Contender] = [LeanClient(untainted(nodes))] if load.lean else []
    cpu = CPU * len(untainted(nodes))
    contenders: list[Contender] = [*lean, KubeScheduler(), Kueue(cpu), Lockstep()]
    turn = first % len(contenders)
    return [*contenders[turn:], *contenders[:turn]]


def _run(load: str, contender: Contender, nodes: int, share: float) -> Run:
    with ground(contender, nodes) as cluster, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(_measured(LOADS[load].measure, cluster, share))
        if cluster.operator is not None:
            peak = cluster.operator.peak_resident_bytes() / 2**20
            figures = {**figures, "MiB of the operator at most": peak}
    return Run(load, contender.name, figures)


async def _measured(measure: Measure, cluster: Ground, share: float) -> Figures:
    async with observed(cluster.sandbox) as (client, observer):
        return await measure(cluster, client, observer, share)


def _table(runs: Sequence[Run]) -> Table:
    names = list(dict.fromkeys(run.contender for run in runs))
    table = Table("load", "figure", *names, title="medians of the rounds, with ranges")
    rows = dict.fromkeys((run.load, figure) for run in runs for figure in run.figures)
    for load, figure in rows:
        cells = [[run.figures[figure] for run in runs if _has(run, load, name, figure)] for name in names]
        table.add_row(load, figure, *map(_cell, cells))
    return table


def _has(run: Run, load: str, name: str, figure: str) -> bool:
    return (run.load, run.contender) == (load, name) and figure in run.figures


def _cell(values: Sequence[float]) -> str:
    """The median and the range; a cell without values means nothing for the contender."""
    if not values:
        return "–"
    middle = f"{statistics.median(values):,.2f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):,.2f} to {max(values):,.2f})"


if __name__ == "__main__":
    main()
