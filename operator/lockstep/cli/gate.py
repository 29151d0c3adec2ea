"""``lockstep gate``: what the init container of a member that waits for others runs.

It is started once a member, and on the way to the members' own start: what it imports is little.
"""

import sys
from pathlib import Path
from signal import SIGTERM, signal
from time import sleep

import click

_LOOK_SECONDS = 0.1


@click.command()
@click.option(
    "--file",
    "path",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path),
    help="File that gets its content once the member may go on.",
)
def gate(path: Path) -> None:
    """Wait until a file has some content.

    For example: lockstep gate --file /gate/go
    """
    # The first process of a container ends by no signal that it does not ask for.
    signal(SIGTERM, lambda *_: sys.exit(128 + SIGTERM))
    while not _has_content(path):
        sleep(_LOOK_SECONDS)


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False
