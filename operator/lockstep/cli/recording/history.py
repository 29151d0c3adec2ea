"""``lockstep history``: shows the records of gangs that have ended, and of gangs that have not."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import time
from typing import Any

import click
from click.core import ParameterSource

from lockstep.answers.plan.text import wrapped
from lockstep.answers.reading.cluster import one_client
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client.configuration import load_configuration, usual_namespace
from lockstep.api.records.history_params import MOST_ROWS, history_params
from lockstep.cli.options.answer_options import one_sentence, print_lines
from lockstep.cli.options.connection_options import connection_options
from lockstep.cli.options.durations import time_of
from lockstep.cli.recording.database_option import database_option
from lockstep.facts.records.history_question import HistoryQuestion, SumBy
from lockstep.recorder.history import HistoryError, HistoryFilter, notes_of, opened_history, rows_of
from lockstep.recorder.history_text import HistoryFormat, history_lines, note_sentences, shown_values
from lockstep.tenants.commands.answer_text import note_on_history
from lockstep.tenants.commands.asking import NoAnswer, ask_answer
from lockstep.tenants.documents import ONLY_ONE, AnswerKind, Document


@click.command(context_settings={"show_default": True})
@database_option
@click.option(
    "-n",
    "--namespace",
    metavar="NAMESPACE",
    default="",
    show_default=False,
    help="Namespace. Default: in the recorder's pod all namespaces, elsewhere that of the kubeconfig's context.",
)
@click.option(
    "--group",
    metavar="GROUP",
    default="",
    show_default=False,
    help="Show only gangs of this group. The option works only in the recorder's pod.",
)
@click.option("--user", metavar="USER", default="", show_default=False, help="Show only gangs that this user created.")
@click.option("--sweep", metavar="NAME", default="", show_default=False, help="Show only runs of this sweep.")
@click.option("--name", metavar="NAME", default="", show_default=False, help="Show only gangs with this name.")
@click.option(
    "--since", metavar="TIME", default="30d", callback=time_of, help="Show gangs that existed after this time."
)
@click.option("--until", metavar="TIME", callback=time_of, help="Show gangs that existed before this time.")
@click.option(
    "--by",
    type=click.Choice([one.value for one in SumBy]),
    help="Print sums of hours by this key, in place of a line for each gang.",
)
@click.option(
    "--losses", is_flag=True, help="Show each preemption: which gang lost how much work for which other gang."
)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1, 10**9),
    default=100,
    help="Maximum number of lines. In the recorder's pod, sums always cover all gangs.",
)
@connection_options
@click.option(
    "-o",
    "--output",
    type=click.Choice([one.value for one in HistoryFormat]),
    default=HistoryFormat.TEXT.value,
    help="Output format: a table, CSV, or one JSON object per line. CSV and JSON have more columns.",
)
@click.pass_context
def history(context: click.Context, /, *, database: Path, group: str, output: str, **given: Any) -> None:
    """Show the records of gangs, including deleted gangs.

    For example: lockstep history --since 4w --by user --output csv

    A TIME is a date such as 2026-11-01, or an age such as 4w. In the recorder's pod the command reads the recorder's
    file. Elsewhere it asks the cluster's API for tenants, which answers for one namespace.
    """
    if given["losses"] and given["by"]:
        raise click.UsageError("Use only one of --by and --losses.")
    now = round(time())
    given["until"] = now if given["until"] is None else given["until"]
    given["by"] = SumBy(given["by"]) if given["by"] else None
    connection = {name: given.pop(name) for name in ("kubeconfig", "context")}
    namespace = given.pop("namespace")
    is_usual = context.get_parameter_source("database") is ParameterSource.DEFAULT
    with one_sentence():
        if is_usual and not database.exists():
            if group:
                raise AnswerError(
                    f"--group needs the file {database}, which is in the recorder's pod. Leave --group out."
                )
            document = asyncio.run(_asked(connection, namespace, HistoryQuestion(**given), database))
            _print_answer(document, output)
        else:
            _print_file(database, HistoryQuestion(**given), now, output, namespace=namespace, group=group)


def _print_file(path: Path, asked: HistoryQuestion, now: int, output: str, **where: str) -> None:
    try:
        with opened_history(path) as connection:
            print_lines(note_sentences(notes_of(connection)), err=True)
            found = rows_of(connection, asked, HistoryFilter.of(asked, now, **where), asked.limit)
            print_lines(history_lines(map(shown_values, found), HistoryFormat(output)))
    except HistoryError as error:
        raise click.ClickException(str(error)) from error


async def _asked(
    connection: Mapping[str, str | None], namespace: str, asked: HistoryQuestion, database: Path
) -> Document:
    """The answer of the cluster's API for tenants. Raises ``AnswerError`` if there is none."""
    where = namespace or usual_namespace(**connection)
    params = history_params(replace(asked, limit=min(asked.limit, MOST_ROWS)))
    async with one_client(load_configuration(**connection)) as client:
        answer = await ask_answer(client, AnswerKind.HISTORIES, where, ONLY_ONE, params)
    if not isinstance(answer, NoAnswer):
        return answer
    why = answer.why or (
        f"The cluster shows you no history of namespace {where}: it has no answers for tenants, or your role has no "
        "right to them."
    )
    raise AnswerError(f"{why}\nYou can also run this command in the recorder's pod, which has the file {database}.")


def _print_answer(document: Document, output: str) -> None:
    notes = [note_on_history(document), *document["notes"]]
    print_lines((line for note in notes for line in wrapped(note)), err=True)
    print_lines(history_lines(document["rows"], HistoryFormat(output)))
    if document["isCutOff"]:
        print_lines(["There are more records than one answer holds: ask for a shorter period."], err=True)
