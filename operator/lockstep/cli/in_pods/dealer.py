"""``lockstep dealer``: runs in the sidecar beside rank 0 of a gang whose pieces are dealt while it runs."""

from pathlib import Path

import click

from lockstep.cli.end_signals import set_by_end_signals
from lockstep.dealer.process import DealerFiles, run_dealer


@click.command(hidden=True)
@click.option("--pieces", type=click.IntRange(min=1), required=True, help="Number of pieces; they count from 0.")
@click.option("--port", type=click.IntRange(1, 65_535), required=True, help="Port to listen on.")
@click.option("--key", metavar="KEY", required=True, help="Key that members and the operator have to send.")
@click.option(
    "--kept",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="File with the states that an earlier dealer of the gang left; it may be missing.",
)
@click.option(
    "--journal",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="File that keeps what is settled while the pod exists.",
)
@click.option(
    "--last-words",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="File that gets the counts when the dealer ends.",
)
def dealer(*, pieces: int, port: int, key: str, kept: Path, journal: Path, last_words: Path) -> None:
    """Deal the pieces of a gang's work to its members, over HTTP.

    For example: lockstep dealer --pieces 500 --port 7711 --key secret --kept old --journal new --last-words counts
    """
    run_dealer(pieces, port, key, DealerFiles(kept, journal, last_words), set_by_end_signals())
