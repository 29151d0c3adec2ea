"""Completion for kubectl, which runs ``kubectl_complete-lockstep`` to complete commands of this plugin."""

import sys

import click
from click.shell_completion import ShellComplete

from lockstep.cli import main
from lockstep.cli.streams import standard_streams

# Directives of cobra, kubectl's library: the shell may, or may not, complete file names, too.
_FILES, _NO_FILES = ":0", ":4"


def complete() -> None:
    """Print one completion per line with its help text. The last line is the directive for file names."""
    *words, incomplete = sys.argv[1:] or [""]
    found = ShellComplete(main, {}, "lockstep", "").get_completions(words, incomplete)
    with standard_streams():
        for one in found:
            if one.type == "plain":
                click.echo(f"{one.value}\t{one.help}" if one.help else one.value)
        click.echo(_FILES if any(one.type == "file" for one in found) else _NO_FILES)
