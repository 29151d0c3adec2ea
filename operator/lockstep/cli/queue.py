"""``lockstep queue``: shows the gangs that wait, with their starts and what they wait for."""

import asyncio
from collections.abc import Mapping
from time import time
from typing import Any

import click

from lockstep.answers.plan.text import wrapped
from lockstep.answers.queue.queue import queue_of
from lockstep.answers.queue.queue_text import queue_document, queue_lines
from lockstep.answers.reading.cluster import one_client, read_gangs, read_pod_gangs
from lockstep.answers.reading.errors import NotAllowedError
from lockstep.api.client.configuration import load_configuration, usual_namespace
from lockstep.cli.options.answer_options import (
    namespace_option,
    one_sentence,
    output_option,
    print_answer,
    print_document,
    print_lines,
)
from lockstep.cli.options.connection_options import connection_options
from lockstep.facts.gang.gang import GangFact
from lockstep.tenants.answer_text import queue_answer_lines
from lockstep.tenants.asking import ask_answer
from lockstep.tenants.documents import ONLY_QUEUE, AnswerKind, Document

_OF_STATUSES = (
    "Positions are those that statuses have, which may be of different plans: to count them at one moment, "
    "the verb list on gangjobs and gangs of all namespaces is needed."
)


@click.command(context_settings={"show_default": True})
@namespace_option
@click.option("-A", "--all-namespaces", is_flag=True, help="Gangs of all namespaces.")
@connection_options
@output_option
def queue(namespace: str | None, output: str, *, all_namespaces: bool, **connection: Any) -> None:
    """Show the gangs that wait: their place in the queue, size and start, and what they wait for.

    For example: lockstep queue -A

    The command shows what the operator wrote last in their statuses, and plans nothing. Positions count the gangs of
    all namespaces at one moment. A user who may list only those of one namespace sees the positions that statuses have,
    or the answer of the cluster's API for tenants.
    """
    if namespace and all_namespaces:
        raise click.UsageError("Of --namespace and --all-namespaces only one can be meant.")
    with one_sentence():
        where = None if all_namespaces else namespace or usual_namespace(**connection)
        found, now = asyncio.run(_read(connection, where)), time()
        if isinstance(found, Mapping):
            print_answer(found, queue_answer_lines, output, now)
            return
        gangs, notes = found
        waiting = [one for one in queue_of(gangs, now, are_all=not notes) if where in (None, one.gang.namespace)]
        print_lines((line for note in notes for line in wrapped(note)), err=True)
        if output == "json":
            print_document(queue_document(waiting, now))
        else:
            print_lines(queue_lines(waiting, now))


async def _read(
    connection: dict[str, str | None], namespace: str | None
) -> tuple[list[GangFact], list[str]] | Document:
    """The gangs of all namespaces, or of ``namespace`` if only these may be listed; sentences on what is missing.

    In the latter case, an answer for tenants goes first, where the cluster gives any.
    """
    async with one_client(load_configuration(**connection)) as client:
        try:
            gangs, where, notes = await read_gangs(client, None), None, []
        except NotAllowedError:
            if namespace is None:
                raise
            document = await ask_answer(client, AnswerKind.QUEUES, namespace, ONLY_QUEUE)
            if document is not None:
                return document
            gangs, where, notes = await read_gangs(client, namespace), namespace, [_OF_STATUSES]
        try:
            return gangs + await read_pod_gangs(client, where), notes
        except NotAllowedError as error:
            return gangs, [*notes, f"Gangs are not shown. {error}"]
