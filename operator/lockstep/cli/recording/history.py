"""``lockstep history``: what is on record of gangs that have ended, and of those that go on."""

from collections.abc import Iterator
from pathlib import Path
from sqlite3 import Connection
from time import time
from typing import Any

import click

from lockstep.cli.options.answer_options import print_lines
from lockstep.cli.options.durations import time_of
from lockstep.cli.recording.database_option import database_option
from lockstep.recorder.history import (
    HistoryError,
    HistoryFilter,
    Row,
    SumBy,
    gangs_of,
    losses_of,
    notes_of,
    opened_history,
    sums_of,
)
from lockstep.recorder.history_text import HistoryFormat, history_lines, note_sentences


@click.command(context_settings={"show_default": True})
@database_option
@click.option("-n", "--namespace", metavar="NAMESPACE", default="", help="Gangs of this namespace.")
@click.option("--group", metavar="GROUP", default="", help="Gangs of namespaces with this group.")
@click.option("--user", metavar="USER", default="", help="Gangs that this user created.")
@click.option("--sweep", metavar="NAME", default="", help="Runs of this sweep.")
@click.option("--name", metavar="NAME", default="", help="Gangs of this name.")
@click.option("--since", metavar="TIME", default="30d", callback=time_of, help="Gangs that were there after that.")
@click.option("--until", metavar="TIME", callback=time_of, help="Gangs that were there before that.")
@click.option(
    "--by", type=click.Choice([one.value for one in SumBy]), help="Sum hours by this, instead of a line for each gang."
)
@click.option("--losses", is_flag=True, help="Show who lost what for which gang, instead of a line for each gang.")
@click.option("--limit", metavar="N", type=click.IntRange(1, 2**63 - 1), default=100, help="Most lines; sums have all.")
@click.option(
    "-o",
    "--output",
    type=click.Choice([one.value for one in HistoryFormat]),
    default=HistoryFormat.TEXT.value,
    help="A table, CSV, or one JSON object a line, with more columns than the table.",
)
def history(*, database: Path, by: str | None, losses: bool, limit: int, output: str, **given: Any) -> None:
    """Show what is on record of gangs: also of those that are deleted.

    For example: lockstep history --since 4w --by namespace --output csv

    A time is a date such as 2026-11-01, or how long ago it was. Run the command where the file is:
    in the recorder's pod.
    """
    if losses and by:
        raise click.UsageError("Of --by and --losses only one can be meant.")
    now = round(time())
    until = given.pop("until")
    asked = HistoryFilter(now=now, until=now if until is None else until, **given)
    try:
        with opened_history(database) as connection:
            print_lines(note_sentences(notes_of(connection)), err=True)
            print_lines(history_lines(_rows(connection, asked, by, limit, are_losses=losses), HistoryFormat(output)))
    except HistoryError as error:
        raise click.ClickException(str(error)) from error


def _rows(
    connection: Connection, asked: HistoryFilter, by: str | None, limit: int, *, are_losses: bool
) -> Iterator[Row]:
    if are_losses:
        return losses_of(connection, asked, limit)
    return gangs_of(connection, asked, limit) if by is None else sums_of(connection, asked, SumBy(by))
