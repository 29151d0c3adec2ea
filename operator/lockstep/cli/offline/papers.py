"""``lockstep papers``: computes what the four papers print, and shows both."""

import click

from lockstep.papers.proof import MECHANISMS, failures, rows
from lockstep.papers.sensitivities import sensitivities
from lockstep.papers.text import lines, lines_of_mechanisms, lines_of_sensitivities, summary, summary_of_mechanisms


@click.command()
def papers() -> None:
    """Compute what the four papers print, and show it beside their numbers.

    For example: lockstep papers | grep missing

    The engine computes all rows anew. Where a paper is wrong, the row names the erratum. Then comes every mechanism
    that the papers describe, and where it is in Lockstep. docs/papers.md has the same as tables. Exit code 1 if a row
    does not come out as it should. No cluster is needed.
    """
    found = rows()
    for line in (*lines(found), *lines_of_sensitivities(sensitivities()), *lines_of_mechanisms(MECHANISMS)):
        click.echo(line)
    click.echo(summary(found))
    click.echo(summary_of_mechanisms(MECHANISMS))
    wrong = list(failures(found))
    if wrong:
        raise click.ClickException(" ".join(wrong))
