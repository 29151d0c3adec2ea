"""``lockstep simulate``: simulates whole queues with several policies, and compares the policies."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from lockstep.cli.offline.simulating.dealing import dealing
from lockstep.cli.offline.simulating.sweep import sweep
from lockstep.cli.options.number_range import NumberRange
from lockstep.cli.options.simulating.scenario_options import scenario_of, scenario_options
from lockstep.cli.options.simulating.seed_options import seed_options
from lockstep.cycle.planning.sizing import SizingPolicy
from lockstep.simulation.bound import least_mean_turnaround
from lockstep.simulation.comparison import Comparison, Load, Results, Trial, run_all
from lockstep.simulation.files import write_means, write_runs, write_summary
from lockstep.simulation.machine import NeverStartsError, Ran
from lockstep.simulation.measures import Measures, measured
from lockstep.simulation.policies.catalog import ONLY_IF_ASKED_FOR
from lockstep.simulation.policies.catalog import policies as policies_by_name
from lockstep.simulation.scenario import ScenarioError
from lockstep.simulation.table import bound_line, tables

Drawing = Callable[[Path, Mapping[Load, Results], Mapping[Trial, Sequence[Ran]]], list[str]]


@click.group(context_settings={"show_default": True}, invoke_without_command=True)
@scenario_options
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice(list(policies_by_name())),
    default=[name for name in policies_by_name() if name not in ONLY_IF_ASKED_FOR],
    help="Policy to simulate; docs/decisions.md explains each. You can repeat this option. All others are compared "
    "with the first.",
)
@click.option(
    "--price-factor",
    metavar="NUMBER",
    type=NumberRange(0, 1000),
    default=SizingPolicy().factor,
    help="As --price-factor of lockstep run, for the policies lockstep, elastic, by-progress, fair, fair-price, "
    "balanced, blind, blind-fastest, heedless and unowned.",
)
@click.option(
    "--bound", "wants_bound", is_flag=True, help="Also print a lower bound of the mean turnaround of all schedules."
)
@seed_options(seeds=3, most=1000)
@click.option(
    "--processes",
    metavar="N",
    type=click.IntRange(1, 64),
    default=1,
    help="Number of simulations that run in parallel.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for CSV files with the results.",
)
@click.option(
    "--plots",
    is_flag=True,
    help="Also draw plots into the folder of --out. This needs matplotlib: pip install 'lockstep-operator[plots]'.",
)
@click.pass_context
def simulate(  # noqa: PLR0913 - one for each option, except the options of the scenario
    context: click.Context,
    /,
    *,
    policies: Sequence[str],
    price_factor: float,
    wants_bound: bool,
    seed: int,
    seeds: int,
    processes: int,
    out: Path | None,
    plots: bool,
    **options: Any,
) -> None:
    """Simulate whole queues with several policies, and compare the policies. The command needs no cluster.

    For example: lockstep simulate --jobs 1000 --load 0.85 --policy easy --policy balanced

    Each node has room for one member. docs/decisions.md explains the policies, and its figures come from this command.
    """
    if context.invoked_subcommand is not None:
        _refuse_own_options(context)
        return
    draw = _drawing(out) if plots else None
    if out is not None:
        _make(out)
    comparison = Comparison(
        scenario=scenario_of(options),
        loads=options["loads"],
        policies=tuple(dict.fromkeys(policies)),
        seeds=range(seed, seed + seeds),
        price_factor=price_factor,
    )
    runs = _run(comparison, processes)
    by_load = {load: _results(runs, load, comparison.scenario.nodes) for load in comparison.loads}
    bounds = _bounds(comparison) if wants_bound else {}
    for line in chain(_formatted(by_load, bounds), _written(out, by_load, runs, draw)):
        click.echo(line)


simulate.add_command(sweep)
simulate.add_command(dealing)


def _refuse_own_options(context: click.Context) -> None:
    """Refuse options of queues before a subcommand, which would ignore them."""
    for option in context.command.params:
        if context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{option.opts[0]} is not an option of lockstep simulate {context.invoked_subcommand}."
            )


def _make(folder: Path) -> None:
    """Make the folder. If that fails, an error is reported before anything is simulated."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(f"The folder {folder} can't be created: {error.strerror}.") from error


def _drawing(out: Path | None) -> Drawing:
    """The function that draws plots. If it can't, an error is reported before anything is simulated."""
    if out is None:
        raise click.UsageError("--plots needs a folder to draw into: --out DIR.")
    try:
        from lockstep.simulation.plots import draw  # noqa: PLC0415 - what it imports is an extra
    except ImportError as error:
        raise click.ClickException("Plots need matplotlib: pip install 'lockstep-operator[plots]'.") from error
    return draw


def _run(comparison: Comparison, processes: int) -> dict[Trial, list[Ran]]:
    """Simulate each policy with the jobs of each load and seed, with a progress bar."""
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


def _bounds(comparison: Comparison) -> dict[Load, dict[int, float]]:
    """A lower bound of the mean turnaround, by load and seed."""
    bounds: dict[Load, dict[int, float]] = {}
    for (load, seed), jobs in comparison.jobs().items():
        bounds.setdefault(load, {})[seed] = least_mean_turnaround(jobs, comparison.scenario.slowdowns)
    return bounds


def _formatted(by_load: Mapping[Load, Results], bounds: Mapping[Load, Mapping[int, float]]) -> Iterator[str]:
    for number, (load, results) in enumerate(by_load.items()):
        if len(by_load) > 1:
            yield ("\n" if number else "") + f"Load {load:g}"
        yield from tables(results)
        if load in bounds:
            yield ""
            yield bound_line(results, bounds[load])


def _written(
    out: Path | None, by_load: Mapping[Load, Results], runs: Mapping[Trial, Sequence[Ran]], draw: Drawing | None
) -> Iterator[str]:
    """Write the requested files. Yields lines that name them."""
    if out is None:
        return
    write_summary(out / "summary.csv", by_load)
    write_means(out / "means.csv", by_load)
    write_runs(out / "jobs.csv", runs)
    yield f"Wrote summary.csv, means.csv and jobs.csv to {out}."
    if draw is not None:
        yield f"Drew {', '.join(draw(out, by_load, runs))}."
