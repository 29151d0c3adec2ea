"""``lockstep solve``: answers requests to the engine."""

import sys

import click

from coschedule.__main__ import main as serve_requests


@click.command(hidden=True)
def solve() -> None:
    """Answer requests to the engine: one JSON object a line from standard input, one answer a line.

    For example: echo '{"problem": "equal", "nodes": [{}], "work": {"serial": 60}, "size": {"min": 1, "max": 1}}' |
    lockstep solve

    The language is that of ``python -m coschedule``. No cluster is needed.
    """
    sys.exit(serve_requests())
