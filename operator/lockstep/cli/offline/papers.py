"""``lockstep papers``: computes the numbers that the four papers print, and compares the results with the papers."""

import click

from lockstep.papers.proof import MECHANISMS, failures, rows
from lockstep.papers.sensitivities import sensitivities
from lockstep.papers.text import lines, lines_of_mechanisms, lines_of_sensitivities, summary, summary_of_mechanisms


@click.command()
def papers() -> None:
    """Compute the figures of the four papers behind Lockstep, and compare them with the printed numbers.

    For example: lockstep papers | grep missing

    Each row shows a printed number and the engine's result. If the paper is wrong, the row names the erratum. A second
    list names every mechanism of the papers, and its place in Lockstep. docs/papers.md has the same rows as tables. The
    exit code is 1 if a result is not the expected one. The command needs no cluster.
    """
    found = rows()
    for line in (*lines(found), *lines_of_sensitivities(sensitivities()), *lines_of_mechanisms(MECHANISMS)):
        click.echo(line)
    click.echo(summary(found))
    click.echo(summary_of_mechanisms(MECHANISMS))
    wrong = list(failures(found))
    if wrong:
        raise click.ClickException(" ".join(wrong))
