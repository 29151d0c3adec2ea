"""``lockstep dealer``: runs in a sidecar of rank 0, and deals the pieces of a gang's work while the gang runs."""

from pathlib import Path

import click

from lockstep.cli.end_signals import set_by_end_signals
from lockstep.dealer.process import DealerFiles, run_dealer


@click.command(hidden=True)
@click.option(
    "--pieces", type=click.IntRange(min=1), required=True, help="Number of pieces. Their numbers begin with 0."
)
@click.option("--port", type=click.IntRange(1, 65_535), required=True, help="Port to listen on.")
@click.option("--key", metavar="KEY", required=True, help="Key that each request must contain.")
@click.option(
    "--kept",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="File with the states of pieces from an earlier dealer of the gang. The file need not exist.",
)
@click.option(
    "--journal",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="File in which the dealer keeps the states of pieces. The dealer reads it after a restart of its container.",
)
@click.option(
    "--last-words",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="File to which the dealer writes the counts of pieces when it ends.",
)
def dealer(*, pieces: int, port: int, key: str, kept: Path, journal: Path, last_words: Path) -> None:
    """Deal the pieces of a gang's work to its members over HTTP. The command runs in a pod that the operator creates.

    For example: lockstep dealer --pieces 500 --port 7711 --key secret --kept old --journal new --last-words counts
    """
    run_dealer(pieces, port, key, DealerFiles(kept, journal, last_words), set_by_end_signals())
