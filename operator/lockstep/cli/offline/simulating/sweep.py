"""``lockstep simulate sweep``: simulates many runs of one program with several policies."""

from collections.abc import Iterator, Sequence

import click

from lockstep.cli.options.number_range import NumberRange
from lockstep.cli.options.simulating.run_lengths import clusters_of, length_of, times_of
from lockstep.cli.options.simulating.seed_options import seed_options
from lockstep.report.text.sentences import n_nodes
from lockstep.simulation.scenario import ScenarioError
from lockstep.simulation.sweeps.comparison import SweepComparison
from lockstep.simulation.sweeps.gangs import GangPolicy
from lockstep.simulation.sweeps.replicas import ReplicaPolicy
from lockstep.simulation.sweeps.sweep import RunSpread, StationCluster
from lockstep.simulation.sweeps.table import sweep_table

_POLICIES = {one.value: one for one in (*ReplicaPolicy, *GangPolicy)}


@click.command(context_settings={"show_default": True})
@click.option("--runs", metavar="N", type=click.IntRange(1, 10_000), default=10, help="Number of runs of the sweep.")
@click.option(
    "--first",
    metavar="K",
    type=click.IntRange(1),
    help="Number K of runs that count. Policies fni-sa, fni-da and fni-dac make only the first K runs. Other policies "
    "make all runs, and the K runs that end first count. Default: all runs.",
)
@click.option(
    "--replicas",
    metavar="R",
    multiple=True,
    type=click.IntRange(1, 10_000),
    default=(5,),
    help="Maximum number of runs at once. You can repeat this option.",
)
@click.option(
    "--clusters",
    metavar="SPEC",
    callback=clusters_of,
    default="24,24",
    help="Number of nodes of each cluster. 30,6x3 means a cluster of 30 nodes of speed 1, and a cluster of 6 nodes of "
    "speed 3.",
)
@click.option(
    "--times",
    metavar="SPEC",
    callback=times_of,
    default="1:1382.5,3:557.5,9:230",
    help="Allowed sizes of a run, each with its mean run time in seconds on nodes of speed 1.",
)
@click.option(
    "--serial-time",
    metavar="DURATION",
    callback=length_of,
    help="Run time with one member, in place of --times. Runs may have any size, and each seed draws their speed-up at "
    "random.",
)
@click.option(
    "--run-times",
    type=click.Choice([one.value for one in RunSpread]),
    default=RunSpread.EQUAL.value,
    help="Distribution of run times around their mean: all equal, 20 % off, or exponential.",
)
@click.option("--alien", is_flag=True, help="A program of another user holds nodes of the first cluster.")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice(list(_POLICIES)),
    help="Policy to simulate; docs/decisions.md explains each. You can repeat this option. All others are compared "
    "with the first. Default: fni-sa, fni-da, fni-dac and common; with --among: separate, once and common.",
)
@click.option(
    "--among", metavar="N", type=click.IntRange(2, 100_000), help="Number of other jobs that run beside the sweep."
)
@click.option(
    "--load",
    metavar="NUMBER",
    type=NumberRange(0.001, 10),
    default=0.5,
    help="Share of the nodes that the jobs of --among would keep busy at their fixed sizes.",
)
@seed_options(seeds=1, most=1000)
def sweep(  # noqa: PLR0913 - one for each option
    *,
    runs: int,
    first: int | None,
    replicas: Sequence[int],
    clusters: Sequence[StationCluster],
    times: dict[int, float],
    serial_time: float | None,
    run_times: str,
    alien: bool,
    policies: Sequence[str],
    among: int | None,
    load: float,
    seed: int,
    seeds: int,
) -> None:
    """Simulate a sweep (many runs of one program) with several policies. The command needs no cluster.

    For example: lockstep simulate sweep --replicas 4 --replicas 5

    docs/decisions.md explains the policies, and its figures come from this command.
    """
    comparison = SweepComparison(
        runs=runs,
        first=first or runs,
        spread=RunSpread(run_times),
        clusters=clusters,
        times=times,
        serial_time=serial_time,
        alien=alien,
        policies=_chosen(policies, is_among=among is not None),
        among=among or 0,
        load=load,
    )
    _check(comparison)
    try:
        for line in _tables(comparison, tuple(dict.fromkeys(replicas)), range(seed, seed + seeds)):
            click.echo(line)
    except ScenarioError as error:
        raise click.ClickException(f"{error}.") from error


def _tables(comparison: SweepComparison, replicas: Sequence[int], seeds: Sequence[int]) -> Iterator[str]:
    for number, count in enumerate(replicas):
        if len(replicas) > 1:
            yield ("\n" if number else "") + f"Replicas {count}"
        yield from sweep_table(comparison.results(count, seeds))


def _chosen(names: Sequence[str], *, is_among: bool) -> list[ReplicaPolicy | GangPolicy]:
    default = list(GangPolicy) if is_among else [*ReplicaPolicy, GangPolicy.COMMON]
    chosen = [_POLICIES[name] for name in dict.fromkeys(names)] or default
    if is_among and not all(isinstance(one, GangPolicy) for one in chosen):
        raise click.UsageError(
            "--among works only with the policies separate, once and common: the other policies give a sweep all nodes."
        )
    return chosen


def _check(comparison: SweepComparison) -> None:
    """Refuse sweeps that could never end: each cluster needs nodes for a run.

    The first cluster needs twice as many nodes if another user's program (``--alien``) holds nodes there.
    """
    if comparison.first > comparison.runs:
        raise click.UsageError(f"--first is {comparison.first}, but the sweep has only {comparison.runs} runs.")
    if comparison.alien and comparison.serial_time:
        raise click.UsageError("--alien needs --times, and can't be used with --serial-time.")
    least = 1 if comparison.serial_time else min(comparison.times)
    for number, cluster in enumerate(comparison.clusters, 1):
        needed = 2 * least if comparison.alien and number == 1 else least
        if cluster.places < needed:
            raise click.UsageError(f"Cluster {number} has {n_nodes(cluster.places)}, and needs at least {needed}.")
