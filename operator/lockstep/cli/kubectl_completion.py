"""Completion by kubectl, which asks ``kubectl_complete-lockstep`` how a command of its plug-in may go on."""

import sys

import click
from click.shell_completion import ShellComplete

from lockstep.cli import main
from lockstep.cli.streams import standard_streams

# What kubectl's library (cobra) takes for "names of files may follow", and for "no such names".
_FILES, _NO_FILES = ":0", ":4"


def complete() -> None:
    """Print how the words may go on, one way a line with what it does, and last whether names of files may follow."""
    *words, incomplete = sys.argv[1:] or [""]
    found = ShellComplete(main, {}, "lockstep", "").get_completions(words, incomplete)
    with standard_streams():
        for one in found:
            if one.type == "plain":
                click.echo(f"{one.value}\t{one.help}" if one.help else one.value)
        click.echo(_FILES if any(one.type == "file" for one in found) else _NO_FILES)
