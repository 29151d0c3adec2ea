"""``lockstep next``: a member asks for its next pieces of work while its gang runs."""

import time

import click

from lockstep.dealer.asking import Asker, DealerError, next_pieces

# Longer than the default of --unreachable-after. So if the node of rank 0 is lost, the operator ends the attempt before
# a member gives up and counts as failed. Also longer than a kubelet's longest pause before it restarts a dealer, 300 s.
_PATIENCE_SECONDS = 900.0


@click.command()
@click.option(
    "--dealer",
    "url",
    metavar="URL",
    envvar="LOCKSTEP_DEALER",
    required=True,
    help="Address of the dealer. The operator sets it in each member.",
)
@click.option(
    "--key",
    metavar="KEY",
    envvar="LOCKSTEP_DEALER_KEY",
    required=True,
    help="Key of the attempt. The operator sets it in each member.",
)
@click.option(
    "--rank",
    metavar="N",
    envvar="LOCKSTEP_RANK",
    type=int,
    required=True,
    help="Rank of the member. The operator sets it in each member.",
)
@click.option(
    "--failed",
    metavar="PIECE",
    type=int,
    multiple=True,
    help="Number of a piece that has failed. You can repeat this option.",
)
@click.argument("done", metavar="[PIECE]...", type=int, nargs=-1)
def next(*, url: str, key: str, rank: int, failed: tuple[int, ...], done: tuple[int, ...]) -> None:  # noqa: A001 - the command's name
    """Report pieces of work that are done, and print the numbers of the next pieces, one per line.

    For example: lockstep next 7 8 --failed 9

    The command prints nothing when no piece is left.

    In a loop: while pieces=$(lockstep next $pieces) || exit 1; [ "$pieces" ]; do ./work $pieces || exit 1; done
    """
    try:
        pieces = next_pieces(
            Asker(url, key, rank),
            done=done,
            failed=failed,
            patience=_PATIENCE_SECONDS,
            sleep=time.sleep,
            monotonic=time.monotonic,
        )
    except DealerError as error:
        raise click.ClickException(f"{error}.") from error
    for piece in pieces:
        click.echo(piece)
