"""``lockstep papers``: computes what the four papers print, and shows both."""

import click

from lockstep.papers.proof import failures, rows
from lockstep.papers.text import lines, summary


@click.command()
def papers() -> None:
    """Compute what the four papers print, and show it beside their numbers.

    For example: lockstep papers | grep missing

    The engine computes all rows anew. Where a paper is wrong, the row names the erratum. docs/papers.md has the same
    as a table. Exit code 1 if a row does not come out as it should. No cluster is needed.
    """
    found = rows()
    for line in lines(found):
        click.echo(line)
    click.echo(summary(found))
    wrong = list(failures(found))
    if wrong:
        raise click.ClickException(" ".join(wrong))
