"""``lockstep solve``: answers requests to the engine."""

import sys

import click

from coschedule.__main__ import main as serve_requests


@click.command(hidden=True)
def solve() -> None:
    """Read requests to the engine from standard input, one JSON object per line, and print one answer per line.

    For example: echo '{"problem": "equal", "nodes": [{}], "work": {"serial": 60}, "size": {"min": 1, "max": 1}}' |
    lockstep solve

    Requests have the same form as those of `python -m coschedule`. The command needs no cluster.
    """
    sys.exit(serve_requests())
