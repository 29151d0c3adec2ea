"""``lockstep gate``: runs in the init container of a member that waits for other members.

It runs once for each member and delays the member's start, so it imports little.
"""

import sys
from pathlib import Path
from signal import SIGTERM, signal
from time import sleep

import click

_POLL_SECONDS = 0.1


@click.command(hidden=True)
@click.option(
    "--file",
    "path",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path),
    help="File to wait for. The operator fills it when the member may start.",
)
def gate(path: Path) -> None:
    """Wait until a file exists and is not empty.

    For example: lockstep gate --file /gate/go
    """
    # The kernel ignores signals to the first process of a container unless it has a handler for them.
    signal(SIGTERM, lambda *_: sys.exit(128 + SIGTERM))
    while not _has_content(path):
        sleep(_POLL_SECONDS)


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False
