"""``lockstep init``: writes a GangJob from a few answers, or converts a Job or JobSet."""

from collections.abc import Callable, Sequence
from typing import IO, Any

import click
import orjson
import yaml

from lockstep.answers.making.amounts import parse_amounts
from lockstep.answers.making.conversion import convert
from lockstep.answers.making.names import check_name
from lockstep.answers.making.new_gang import (
    NewGang,
    gang_manifest,
    parse_command,
    parse_serial_time,
    parse_size,
)
from lockstep.answers.plan.text import wrapped
from lockstep.answers.reading.documents import LONGEST
from lockstep.cli.options.answer_options import one_sentence, print_lines

Reader = Callable[[Any], Any]


def _reader(parse: Callable[[str], Any]) -> Reader:
    """Make a reader for click from a parser.

    After a ValueError, click fails or asks again, with the error's message.
    """

    def read(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return parse(value)
        except ValueError as error:
            raise click.BadParameter(f"{error}.") from error

    return read


_COMMAND = _reader(parse_command)
_SIZE = _reader(parse_size)
_REQUESTS = _reader(parse_amounts)
_TIME = _reader(parse_serial_time)


@click.command(context_settings={"show_default": True})
@click.argument("name", metavar="[NAME]", default="")
@click.option(
    "--from",
    "file",
    metavar="FILE",
    type=click.File("r"),
    help="File with Jobs and JobSets. The name - means standard input.",
)
@click.option("--image", metavar="IMAGE", help="Image of each member.")
@click.option(
    "--command", metavar="COMMAND", type=_COMMAND, help="Command of each member. '' means the image's own command."
)
@click.option(
    "--members",
    metavar="N",
    type=_SIZE,
    help="Number of members: 8, a range such as 2-12, or a list of allowed sizes such as 4,8,16.",
)
@click.option(
    "--requests", metavar="REQUESTS", type=_REQUESTS, help="Requests of each member, such as cpu=4,memory=8Gi."
)
@click.option(
    "--serial-time",
    metavar="DURATION",
    type=_TIME,
    help="Run time of the whole work with one member on an idle node, such as 10m. '' means unknown.",
)
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", help="Format of the GangJob.")
def init(name: str, file: IO[str] | None, output: str, **answers: Any) -> None:
    """Write a GangJob from your answers to five questions, or convert the Jobs and JobSets of a file.

    For example: lockstep init heat > heat.yaml; lockstep init --from job.yaml > heat.yaml

    An option answers its question in advance. If a GangJob lacks a field of a Job, or gives the field another meaning,
    a warning on standard error names the field. The command needs no cluster.
    """
    with one_sentence():
        manifests: Sequence[dict[str, Any]]
        if file is None:
            manifests = [gang_manifest(_ask(check_name(name or _prompt("Name of the gang", str)), answers))]
        else:
            _forbid(answers)
            manifests = _converted(file, name)
    click.echo(_formatted(manifests, output), nl=False)


def _ask(name: str, answers: dict[str, Any]) -> NewGang:
    """Ask for every value that no option has given; returns the new gang."""
    questions: dict[str, tuple[str, Reader, str | None]] = {
        "image": ("Image of each member", str, None),
        "command": ("Command of each member (empty: the image's own)", _COMMAND, ""),
        "members": ("Number of members (8, 2-12 or 4,8,16)", _SIZE, None),
        "requests": ("Requests of each member", _REQUESTS, "cpu=1,memory=1Gi"),
        "serial_time": ("Run time with one member on an idle node, such as 10m (empty: unknown)", _TIME, ""),
    }
    given = {
        field: _prompt(text, of_type, default) if answers[field] is None else answers[field]
        for field, (text, of_type, default) in questions.items()
    }
    return NewGang(name=name, size=given.pop("members"), **given)


def _prompt(text: str, of_type: Any, default: str | None = None) -> Any:
    """Ask on standard error; returns the parsed answer. The default is parsed like an answer."""
    return click.prompt(text, type=of_type, default=default, show_default=bool(default), err=True)


def _forbid(answers: dict[str, Any]) -> None:
    given = [name for name, value in answers.items() if value is not None]
    if given:
        raise click.UsageError(f"--{given[0].replace('_', '-')} can't be used with --from: the file has its value.")


_AS_IT_IS = (
    "You need not convert Jobs, JobSets and other pods. With `schedulerName: lockstep` in their pod templates, "
    "Lockstep places them as they are, if the operator's --sources name their kinds."
)


def _converted(file: IO[str], name: str) -> Sequence[dict[str, Any]]:
    try:
        text = file.read(LONGEST + 1)
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{file.name} is not text: {error}.") from error
    converted = convert(text, name=name)
    print_lines(wrapped(_AS_IT_IS), err=True)
    for line in converted.left_out:
        print_lines(wrapped(line), err=True)
    for one in converted.gangs:
        for note in one.notes:
            print_lines(wrapped(f"{one.manifest['metadata']['name']}: {note}"), err=True)
    return [one.manifest for one in converted.gangs]


def _formatted(manifests: Sequence[dict[str, Any]], output: str) -> str:
    """The manifests as text for ``kubectl apply``."""
    if output == "json":
        return "".join(orjson.dumps(one, option=orjson.OPT_INDENT_2).decode() + "\n" for one in manifests)
    return str(yaml.safe_dump_all(manifests, sort_keys=False))
