"""``lockstep replay``: plans a recorded snapshot again, and shows the differences."""

from typing import IO

import click

from lockstep.answers.plan.document import decision_document
from lockstep.answers.plan.recorded import Difference, RecordedSnapshot, differences, read_recorded
from lockstep.answers.plan.text import difference_lines
from lockstep.cli.options.answer_options import one_sentence, output_option, print_document, print_lines
from lockstep.report.text.sentences import n_nodes


@click.command(context_settings={"show_default": True})
@click.argument("file", metavar="FILE", type=click.File("rb"))
@output_option
def replay(file: IO[bytes], output: str) -> None:
    """Plan a recorded snapshot again, and show the decisions that differ in this version.

    For example: curl -s localhost:8081/debug/snapshot > then.json; lockstep replay then.json

    FILE is a saved copy of the page /debug/snapshot. The name - means standard input.
    """
    with one_sentence():
        recorded = read_recorded(file.read())
        found = differences(recorded)
    if output == "json":
        print_document(_document(recorded, found))
        return
    gangs, nodes = len(recorded.snapshot.gangs), len(recorded.snapshot.nodes.names)
    were = "gang was" if gangs == 1 else "gangs were"
    click.echo(f"{gangs} waiting {were} planned again on {n_nodes(nodes)}.")
    for one in found:
        print_lines(difference_lines(one, recorded.snapshot.now))
    if not found:
        click.echo("This version decides the same.")


def _document(recorded: RecordedSnapshot, found: tuple[Difference, ...]) -> object:
    now = recorded.snapshot.now
    return {
        "gangs": len(recorded.snapshot.gangs),
        "nodes": len(recorded.snapshot.nodes.names),
        "differences": [
            {
                "gang": one.gang._asdict(),
                "recorded": decision_document(one.recorded, now),
                "decided": decision_document(one.decided, now),
            }
            for one in found
        ],
    }
