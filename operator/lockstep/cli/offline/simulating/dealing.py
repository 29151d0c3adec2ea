"""``lockstep simulate dealing``: pieces that are dealt beforehand beside pieces that are dealt while they run."""

from collections.abc import Sequence

import click

from lockstep.cli.options.number_range import NumberRange
from lockstep.cli.options.run_lengths import clusters_of, length_of
from lockstep.simulation.sweeps.dealing_comparison import DealingComparison
from lockstep.simulation.sweeps.sweep import StationCluster


@click.command(context_settings={"show_default": True})
@click.option("--pieces", metavar="N", type=click.IntRange(1, 1_000_000), default=96, help="How many pieces.")
@click.option(
    "--piece-time", metavar="DURATION", callback=length_of, default="5m", help="Of a piece on a node of speed 1."
)
@click.option(
    "--nodes",
    metavar="SPEC",
    callback=clusters_of,
    default="4x1,4x1.5,4x2",
    help="A member on each, such as 12 or 8x1,4x1.5.",
)
@click.option(
    "--off",
    "offs",
    metavar="NUMBER",
    multiple=True,
    type=NumberRange(0, 2),
    default=(0.1, 0.2, 0.3),
    help="How far speeds are from what bids say, log-normally; may be given several times.",
)
@click.option("--lose", "is_lost", is_flag=True, help="One member is lost, at a random time.")
@click.option("--seed", metavar="N", type=click.IntRange(0), default=1, help="First seed; the same gives the same.")
@click.option("--seeds", metavar="N", type=click.IntRange(1, 10_000), default=200, help="How many, from the first on.")
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
    """Simulate pieces that are dealt beforehand or while they run. No cluster is needed.

    For example: lockstep simulate dealing --off 0.2 --lose

    The figures of docs/decisions.md come from this command.
    """
    speeds = [cluster.speed for cluster in nodes for _ in range(cluster.places)]
    if is_lost and len(speeds) == 1:
        raise click.UsageError("--lose needs two nodes at least.")
    comparison = DealingComparison(pieces=pieces, piece_time=piece_time, speeds=speeds, is_lost=is_lost)
    for line in comparison.table(tuple(dict.fromkeys(offs)), range(seed, seed + seeds)):
        click.echo(line)
