"""The options, output and progress of all commands that answer questions."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

import click
import orjson

from coschedule import Change
from lockstep.answers.plan.chart import marks_for
from lockstep.answers.plan.document import waiting_document
from lockstep.answers.plan.text import printable, waiting_lines, wrapped
from lockstep.answers.plan.waiting import WaitingAnswer
from lockstep.answers.reading.cluster import kinds_of, read_cluster
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import ConfigError
from lockstep.belief.state import State
from lockstep.tenants.commands.answer_text import note_on_answer
from lockstep.tenants.documents import Document

Command = Callable[..., Any]

_NAMESPACE = click.option(
    "-n", "--namespace", metavar="NAME", help="Namespace. Default: the namespace of the kubeconfig's context."
)
_OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Output format: text for people, json for programs.",
)


def namespace_option(command: Command) -> Command:
    """Add the option for the namespace to a command."""
    return _NAMESPACE(command)


def output_option(command: Command) -> Command:
    """Add the option for the output format to a command."""
    return _OUTPUT(command)


@contextmanager
def one_sentence() -> Iterator[None]:
    """If the block finds no answer, end the command with one sentence."""
    try:
        yield
    except (AnswerError, ConfigError) as error:
        raise click.ClickException("\n".join(map(printable, str(error).splitlines()))) from error


async def read_with_progress(client: KubeClient, state: State) -> None:
    """Read the cluster into ``state``, with a progress bar."""
    with click.progressbar(length=len(kinds_of(state)), label="Reading the cluster", file=sys.stderr) as bar:
        await read_cluster(client, state, kind_read=lambda: bar.update(1))


@contextmanager
def waiting_with_progress(label: str) -> Iterator[Callable[[], None]]:
    """Show progress of unknown length; call the yielded function at each step."""
    with click.progressbar(count(), label=label, file=sys.stderr) as bar:
        yield lambda: bar.update(1)


def tried_with_progress(changes: Sequence[Change]) -> Iterator[Change]:
    """Yield the changes, with a progress bar."""
    if changes:
        with click.progressbar(changes, label="Trying what would help", file=sys.stderr) as bar:
            yield from bar


def print_document(document: object) -> None:
    """Print a document as JSON."""
    click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())


def print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines without control characters: the lines contain names and messages of other users."""
    for line in lines:
        click.echo(printable(line), err=err)


def print_answer(document: Document, lines: Callable[[Document], Iterable[str]], output: str, now: float) -> None:
    """Print an answer of the cluster's API for tenants. A note on standard error says where it is from."""
    print_lines(wrapped(note_on_answer(document, now)), err=True)
    if output == "json":
        print_document(document)
    else:
        print_lines(lines(document))


def print_waiting(answer: WaitingAnswer, output: str) -> None:
    """Print the answer about a gang that waits."""
    if output == "json":
        print_document(waiting_document(answer))
    else:
        print_lines(waiting_lines(answer, marks_for(sys.stdout.encoding)))
