"""``lockstep queue``: shows the gangs that hold nodes, the gangs that wait, and the reasons why they wait."""

import asyncio
from collections.abc import Mapping
from time import time
from typing import Any, NamedTuple

import click

from lockstep.answers.plan.text import wrapped
from lockstep.answers.queue.group_turns import group_turns, turn_lines
from lockstep.answers.queue.on_nodes import on_nodes_of
from lockstep.answers.queue.queue import queue_of
from lockstep.answers.queue.queue_text import queue_document, queue_lines, running_lines
from lockstep.answers.reading.cluster import one_client, read_fair_share, read_gangs, read_pod_gangs, read_sweeps
from lockstep.answers.reading.errors import NotAllowedError
from lockstep.answers.sweeps.sweep_text import sweep_lines, under_way
from lockstep.api.client.client import KubeClient
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
from lockstep.facts.fair_share import FairShare
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.sweeps.sweep import Sweep
from lockstep.tenants.commands.answer_text import queue_answer_lines
from lockstep.tenants.commands.asking import NoAnswer, ask_answer
from lockstep.tenants.documents import ONLY_ONE, AnswerKind, Document

_OF_STATUSES = (
    "These positions come from statuses, which may be of different plans. For positions of one plan, you need the verb "
    "list on gangjobs and gangs of all namespaces."
)


@click.command(context_settings={"show_default": True})
@namespace_option
@click.option("-A", "--all-namespaces", is_flag=True, help="Show gangs of all namespaces.")
@connection_options
@output_option
def queue(namespace: str | None, output: str, *, all_namespaces: bool, **connection: Any) -> None:
    """Show the gangs that hold nodes, the gangs that wait, and the sweeps.

    For example: lockstep queue -A

    The command shows what the operator last wrote in the statuses of gangs. Positions count the waiting gangs of all
    namespaces. With fair shares and the right to read the FairShare, you also see what each group has used.
    """
    if namespace and all_namespaces:
        raise click.UsageError("Use only one of --namespace and --all-namespaces.")
    with one_sentence():
        where = None if all_namespaces else namespace or usual_namespace(**connection)
        read, now = asyncio.run(_read(connection, where)), time()
        if isinstance(read, Mapping):
            print_answer(read, queue_answer_lines, output, now)
            return
        queued = queue_of(read.gangs, now, are_all=read.are_all)
        waiting = [one for one in queued if where in (None, one.gang.namespace)]
        running = on_nodes_of((one for one in read.gangs if where in (None, one.key.namespace)), now)
        print_lines((line for note in read.notes for line in wrapped(note)), err=True)
        turns = [] if read.fair_share is None else group_turns(waiting, read.fair_share)
        if output == "json":
            print_document(queue_document(waiting, read.sweeps, now, turns, running))
        else:
            lines = [*running_lines(running, now), *queue_lines(waiting, now, where)]
            print_lines([*lines, *turn_lines(turns), *sweep_lines(read.sweeps, now)])


class _QueueRead(NamedTuple):
    """The objects to show. ``are_all`` is True if they include the gangs of all namespaces.

    ``notes`` are sentences that say which objects are missing.
    """

    gangs: list[GangFact]
    are_all: bool
    sweeps: list[Sweep]
    notes: list[str]
    fair_share: FairShare | None


async def _read(connection: dict[str, str | None], namespace: str | None) -> _QueueRead | Document:
    """The gangs of all namespaces, and the sweeps to show.

    If the user may not list gangs of all namespaces, the function returns the answer of the cluster's API for tenants.
    If there is no such answer, it returns the gangs and sweeps of ``namespace``. Raises ``NotAllowedError``.
    """
    async with one_client(load_configuration(**connection)) as client:
        try:
            return await _with_other_kinds(client, await read_gangs(client, None), None, namespace)
        except NotAllowedError:
            if namespace is None:
                raise
        answer = await ask_answer(client, AnswerKind.QUEUES, namespace, ONLY_ONE)
        if not isinstance(answer, NoAnswer):
            return answer
        read = await _with_other_kinds(client, await read_gangs(client, namespace), namespace, namespace)
        return read._replace(notes=[*filter(None, [answer.why]), *read.notes])


async def _with_other_kinds(
    client: KubeClient, gangs: list[GangFact], where: str | None, namespace: str | None
) -> _QueueRead:
    """The GangJobs, with the Gangs of the namespace ``where`` (None for all) and the sweeps of ``namespace``."""
    notes = [] if where is None else [_OF_STATUSES]
    try:
        gangs = gangs + await read_pod_gangs(client, where)
    except NotAllowedError as error:
        notes.append(f"Gangs are not shown. {error}")
    are_all, sweeps = not notes, list[Sweep]()
    try:
        sweeps = under_way(await read_sweeps(client, namespace))
    except NotAllowedError as error:
        notes.append(f"GangSweeps are not shown. {error}")
    return _QueueRead(gangs, are_all, sweeps, notes, await read_fair_share(client))
