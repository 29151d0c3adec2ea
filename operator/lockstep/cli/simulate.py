"""``lockstep simulate``: whole queues, decided by several policies side by side."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO

import click
import numpy as np
from numpy.typing import NDArray

from lockstep.cli.number_range import NumberRange
from lockstep.cycle.sizing import SizingPolicy
from lockstep.simulation.comparison import Comparison, Load, Results, Trial, run_all
from lockstep.simulation.files import write_means, write_runs, write_summary
from lockstep.simulation.machine import NeverStartsError, Ran
from lockstep.simulation.measures import Measures, measured
from lockstep.simulation.nodes import NodesError, slowdowns_of
from lockstep.simulation.owners import Owners, OwnersError, owners_of
from lockstep.simulation.policies.catalog import policies as policies_by_name
from lockstep.simulation.scenario import Scenario, ScenarioError
from lockstep.simulation.table import tables
from lockstep.simulation.workload.malleable import Malleability
from lockstep.simulation.workload.rigid import RigidJob
from lockstep.simulation.workload.run_times import RunTimes
from lockstep.simulation.workload.swf import read_log

Drawing = Callable[[Path, Mapping[Load, Results], Mapping[Trial, Sequence[Ran]]], list[str]]


def _slowdowns(_context: click.Context, _option: click.Parameter, value: str) -> NDArray[np.float64]:
    try:
        return slowdowns_of(value)
    except NodesError as error:
        raise click.BadParameter(str(error)) from error


def _owners(_context: click.Context, _option: click.Parameter, value: str | None) -> Owners | None:
    try:
        return None if value is None else owners_of(value)
    except OwnersError as error:
        raise click.BadParameter(str(error)) from error


def _each_once(_context: click.Context, _option: click.Parameter, values: Sequence[float]) -> Sequence[Load]:
    return tuple(dict.fromkeys(values)) or (None,)


@click.command(context_settings={"show_default": True})
@click.option(
    "--model", type=click.Choice(["lublin99"]), default="lublin99", help="Published model that draws the jobs."
)
@click.option("--trace", type=click.File("r", errors="replace"), help="Log in the Standard Workload Format, instead.")
@click.option("--jobs", "count", metavar="N", type=click.IntRange(2, 1_000_000), default=1000, help="Most jobs.")
@click.option("--nodes", metavar="SPEC", callback=_slowdowns, default="128", help="Nodes, such as 128 or 64x1,64x1.5.")
@click.option(
    "--owners",
    metavar="SPEC",
    callback=_owners,
    help="Owners who take nodes back every working day, such as 0.25@9-17: a quarter of the nodes, from 9 to 17.",
)
@click.option(
    "--load",
    "loads",
    metavar="NUMBER",
    multiple=True,
    callback=_each_once,
    type=NumberRange(0.001, 10),
    help="Part of the nodes that rigid jobs would keep busy: submissions are drawn together or apart to give it. May "
    "be given several times.",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice(list(policies_by_name())),
    default=list(policies_by_name()),
    help="Who decides; may be given several times. The others are compared with the first.",
)
@click.option(
    "--price-factor",
    metavar="NUMBER",
    type=NumberRange(0, 1000),
    default=SizingPolicy().factor,
    help="Of lockstep, balanced, blind and blind-fastest.",
)
@click.option(
    "--sizes", metavar="F", type=NumberRange(1, 64), default=4.0, help="A job of r members may have r/F to r*F."
)
@click.option("--sizes-up-only", is_flag=True, help="A job of r members may have r to r*F, never fewer.")
@click.option(
    "--serial-share",
    metavar="NUMBER",
    type=NumberRange(0, 1),
    help="Amdahl's law with this share, in the place of Downey's model.",
)
@click.option(
    "--run-times",
    type=click.Choice([one.value for one in RunTimes]),
    default=RunTimes.EXACT.value,
    help="What planners are told of run times: these themselves, users' over-estimates, or a guess 20 % off.",
)
@click.option(
    "--quantile",
    metavar="NUMBER",
    type=NumberRange(0, 1),
    help="Planners expect what this part of the last 50 runs kept to, over what they were told.",
)
@click.option("--seed", metavar="N", type=click.IntRange(0), default=1, help="First seed; the same gives the same.")
@click.option(
    "--seeds", metavar="N", type=click.IntRange(1, 1000), default=3, help="How many seeds, from the first on."
)
@click.option("--processes", metavar="N", type=click.IntRange(1, 64), default=1, help="How many run at a time.")
@click.option("--out", metavar="DIR", type=click.Path(file_okay=False, path_type=Path), help="Folder for CSV files.")
@click.option("--plots", is_flag=True, help='Draw plots into that folder too; needs the extra "plots".')
def simulate(  # noqa: PLR0913 - one for each option
    *,
    model: str,  # noqa: ARG001 - there is one
    trace: IO[str] | None,
    count: int,
    nodes: NDArray[np.float64],
    owners: Owners | None,
    loads: Sequence[Load],
    policies: Sequence[str],
    price_factor: float,
    sizes: float,
    sizes_up_only: bool,
    serial_share: float | None,
    run_times: str,
    quantile: float | None,
    seed: int,
    seeds: int,
    processes: int,
    out: Path | None,
    plots: bool,
) -> None:
    """Simulate whole queues and compare who decides. No cluster is needed.

    For example: lockstep simulate --jobs 1000 --load 0.85 --policy easy --policy balanced

    A node takes one member. What docs/decisions.md shows was printed by this.
    """
    draw = _drawing(out) if plots else None
    if out is not None:
        _make(out)
    scenario = Scenario(
        slowdowns=nodes,
        owners=owners,
        count=count,
        load=None,
        malleability=Malleability(factor=sizes, only_up=sizes_up_only, serial_share=serial_share),
        run_times=RunTimes(run_times),
        quantile=quantile,
        trace=None if trace is None else _read(trace),
    )
    comparison = Comparison(
        scenario=scenario,
        loads=loads,
        policies=tuple(dict.fromkeys(policies)),
        seeds=range(seed, seed + seeds),
        price_factor=price_factor,
    )
    runs = _run(comparison, processes)
    by_load = {load: _results(runs, load, scenario.nodes) for load in loads}
    for line in chain(_spelled(by_load), _written(out, by_load, runs, draw)):
        click.echo(line)


def _make(folder: Path) -> None:
    """Whoever cannot write there is told before anything is simulated."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(f"The folder {folder} can't be made: {error.strerror}.") from error


def _drawing(out: Path | None) -> Drawing:
    """Return what draws plots; whoever cannot have them is told before anything is simulated."""
    if out is None:
        raise click.UsageError("--plots needs a folder to draw into: --out DIR.")
    try:
        from lockstep.simulation.plots import draw  # noqa: PLC0415 - what it imports is an extra
    except ImportError as error:
        raise click.ClickException("Plots need matplotlib: pip install 'lockstep-operator[plots]'.") from error
    return draw


def _run(comparison: Comparison, processes: int) -> dict[Trial, list[Ran]]:
    """Let each policy decide about the jobs of each load and seed, and show how far that is."""
    try:
        jobs = comparison.jobs()
        length = len(comparison.policies) * sum(len(of_seed) for of_seed in jobs.values())
        with click.progressbar(length=length, label="Simulating", file=sys.stderr) as bar:
            return dict(run_all(comparison, jobs, processes, lambda: bar.update(1)))
    except (ScenarioError, NeverStartsError) as error:
        raise click.ClickException(f"{error}.") from error


def _results(runs: Mapping[Trial, Sequence[Ran]], load: Load, nodes: int) -> Results:
    results: dict[str, dict[int, Measures]] = {}
    for trial, ran in runs.items():
        if trial.load == load:
            results.setdefault(trial.policy, {})[trial.seed] = measured(ran, nodes)
    return results


def _spelled(by_load: Mapping[Load, Results]) -> Iterator[str]:
    for number, (load, results) in enumerate(by_load.items()):
        if len(by_load) > 1:
            yield ("\n" if number else "") + f"Load {load:g}"
        yield from tables(results)


def _written(
    out: Path | None, by_load: Mapping[Load, Results], runs: Mapping[Trial, Sequence[Ran]], draw: Drawing | None
) -> Iterator[str]:
    """Write the files that are asked for, and say which."""
    if out is None:
        return
    write_summary(out / "summary.csv", by_load)
    write_means(out / "means.csv", by_load)
    write_runs(out / "jobs.csv", runs)
    yield f"Wrote summary.csv, means.csv and jobs.csv to {out}."
    if draw is not None:
        yield f"Drew {', '.join(draw(out, by_load, runs))}."


def _read(file: IO[str]) -> list[RigidJob]:
    log = read_log(file)
    for problem in log.wrong:
        click.echo(f"{file.name}: {problem}; it is left out.", err=True)
    if log.without_run:
        click.echo(
            f"{file.name}: {log.without_run} jobs did not run, or their size or times are none; they are left out.",
            err=True,
        )
    return log.jobs
