"""``lockstep simulate``: whole queues, decided by several policies side by side."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

import click
import numpy as np
from numpy.typing import NDArray

from lockstep.cycle.sizing import SizingPolicy
from lockstep.simulation.cluster import Policy
from lockstep.simulation.machine import Ran
from lockstep.simulation.measures import Measures, measured
from lockstep.simulation.nodes import NodesError, slowdowns_of
from lockstep.simulation.policies.catalog import policies as policies_by_name
from lockstep.simulation.scenario import Scenario, ScenarioError
from lockstep.simulation.table import Results, table, write_runs, write_summary
from lockstep.simulation.workload.malleable import Malleability
from lockstep.simulation.workload.rigid import RigidJob
from lockstep.simulation.workload.swf import read_log


def _slowdowns(_context: click.Context, _option: click.Parameter, value: str) -> NDArray[np.float64]:
    try:
        return slowdowns_of(value)
    except NodesError as error:
        raise click.BadParameter(str(error)) from error


@click.command(context_settings={"show_default": True})
@click.option(
    "--model", type=click.Choice(["lublin99"]), default="lublin99", help="Published model that draws the jobs."
)
@click.option("--trace", type=click.File("r", errors="replace"), help="Log in the Standard Workload Format, instead.")
@click.option("--jobs", "count", metavar="N", type=click.IntRange(2, 1_000_000), default=1000, help="Most jobs.")
@click.option("--nodes", metavar="SPEC", callback=_slowdowns, default="128", help="Nodes, such as 128 or 64x1,64x1.5.")
@click.option(
    "--load",
    metavar="NUMBER",
    type=click.FloatRange(0, 10, min_open=True),
    help="Part of the nodes that rigid jobs would keep busy: submissions are drawn together or apart to give it.",
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
    type=click.FloatRange(0, 1000),
    default=SizingPolicy().factor,
    help="Of balanced.",
)
@click.option(
    "--sizes", metavar="F", type=click.FloatRange(1, 64), default=4.0, help="A job of r members may have r/F to r*F."
)
@click.option(
    "--serial-share",
    metavar="NUMBER",
    type=click.FloatRange(0, 1),
    help="Amdahl's law with this share, in the place of Downey's model.",
)
@click.option("--seed", metavar="N", type=click.IntRange(0), default=1, help="First seed; the same gives the same.")
@click.option(
    "--seeds", metavar="N", type=click.IntRange(1, 1000), default=3, help="How many seeds, from the first on."
)
@click.option("--out", metavar="DIR", type=click.Path(file_okay=False, path_type=Path), help="Folder for CSV files.")
def simulate(  # noqa: PLR0913 - one for each option
    *,
    model: str,  # noqa: ARG001 - there is one
    trace: IO[str] | None,
    count: int,
    nodes: NDArray[np.float64],
    load: float | None,
    policies: Sequence[str],
    price_factor: float,
    sizes: float,
    serial_share: float | None,
    seed: int,
    seeds: int,
    out: Path | None,
) -> None:
    """Simulate whole queues and compare who decides. No cluster is needed.

    For example: lockstep simulate --jobs 1000 --load 0.85 --policy easy --policy balanced

    Run times are known exactly, and a node takes one member.
    """
    scenario = Scenario(
        slowdowns=nodes,
        count=count,
        load=load,
        malleability=Malleability(factor=sizes, serial_share=serial_share),
        trace=None if trace is None else _read(trace),
    )
    try:
        chosen = {name: policies_by_name(price_factor)[name] for name in policies}
        results, runs = _compare(scenario, chosen, range(seed, seed + seeds))
    except ScenarioError as error:
        raise click.ClickException(f"{error}.") from error
    for line in table(results):
        click.echo(line)
    if out is not None:
        write_summary(out / "summary.csv", results)
        write_runs(out / "jobs.csv", runs)
        click.echo(f"Wrote {out / 'summary.csv'} and {out / 'jobs.csv'}.")


def _compare(
    scenario: Scenario, policies: Mapping[str, Callable[[], Policy]], seeds: range
) -> tuple[Results, dict[tuple[str, int], list[Ran]]]:
    """Let each policy decide about the jobs of each seed, and show how far that is."""
    jobs = {seed: scenario.jobs(seed) for seed in seeds}
    results: dict[str, dict[int, Measures]] = {name: {} for name in policies}
    runs = {}
    length = len(policies) * sum(len(of_seed) for of_seed in jobs.values())
    with click.progressbar(length=length, label="Simulating", file=sys.stderr) as bar:
        for name, policy in policies.items():
            for seed, of_seed in jobs.items():
                ran = runs[name, seed] = scenario.run(of_seed, policy(), lambda: bar.update(1))
                results[name][seed] = measured(ran, scenario.nodes)
    return results, runs


def _read(file: IO[str]) -> list[RigidJob]:
    log = read_log(file)
    for problem in log.wrong:
        click.echo(f"{file.name}: {problem}; it is left out.", err=True)
    if log.without_run:
        click.echo(f"{file.name}: {log.without_run} jobs did not run, or have no size; they are left out.", err=True)
    return log.jobs
