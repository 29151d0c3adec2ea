"""``lockstep simulate dealing``: compares pieces that are dealt before the start with pieces dealt during the run."""

from collections.abc import Sequence

import click

from lockstep.cli.options.number_range import NumberRange
from lockstep.cli.options.simulating.run_lengths import clusters_of, length_of
from lockstep.cli.options.simulating.seed_options import seed_options
from lockstep.simulation.sweeps.dealing_comparison import DealingComparison
from lockstep.simulation.sweeps.sweep import StationCluster


@click.command(context_settings={"show_default": True})
@click.option("--pieces", metavar="N", type=click.IntRange(1, 1_000_000), default=96, help="Number of pieces.")
@click.option(
    "--piece-time",
    metavar="DURATION",
    callback=length_of,
    default="5m",
    help="Time that a piece takes on a node of speed 1.",
)
@click.option(
    "--nodes",
    metavar="SPEC",
    callback=clusters_of,
    default="4x1,4x1.5,4x2",
    help="Number of nodes, with a member on each. 8x1,4x1.5 means 8 nodes of speed 1 and 4 nodes of speed 1.5.",
)
@click.option(
    "--off",
    "offs",
    metavar="NUMBER",
    multiple=True,
    type=NumberRange(0, 2),
    default=(0.1, 0.2, 0.3),
    help="How far real speeds are from the speeds in bids, by a log-normal distribution: 0.2 means 20 %. You can "
    "repeat this option.",
)
@click.option("--lose", "is_lost", is_flag=True, help="One member fails at a random time.")
@seed_options(seeds=200, most=10_000)
def dealing(  # noqa: PLR0913 - one for each option
    *,
    pieces: int,
    piece_time: float,
    nodes: Sequence[StationCluster],
    offs: Sequence[float],
    is_lost: bool,
    seed: int,
    seeds: int,
) -> None:
    """Compare pieces that are dealt before the start with pieces that are dealt during the run.

    The command needs no cluster.

    For example: lockstep simulate dealing --off 0.2 --lose

    docs/decisions.md shows results of this command.
    """
    speeds = [cluster.speed for cluster in nodes for _ in range(cluster.places)]
    if is_lost and len(speeds) == 1:
        raise click.UsageError("--lose needs two nodes at least.")
    comparison = DealingComparison(pieces=pieces, piece_time=piece_time, speeds=speeds, is_lost=is_lost)
    for line in comparison.table(tuple(dict.fromkeys(offs)), range(seed, seed + seeds)):
        click.echo(line)
