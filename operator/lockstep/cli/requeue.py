"""``lockstep requeue``: puts a gang back into the queue."""

import asyncio
from functools import partial
from typing import Any

import click
import yaml

from coschedule import GangKey
from lockstep.answers.reading.cluster import one_client
from lockstep.answers.requeue import NotMadeAnewError, requeue_gang
from lockstep.answers.sweeps.requeue_runs import requeue_runs
from lockstep.api.client.configuration import load_configuration, usual_namespace
from lockstep.cli.options.answer_options import (
    namespace_option,
    one_sentence,
    output_option,
    print_document,
    print_lines,
    waiting_with_progress,
)
from lockstep.cli.options.connection_options import connection_options
from lockstep.cli.options.durations import as_seconds
from lockstep.cli.options.gang_argument import KeyIn, gang_or_sweep_argument
from lockstep.cli.options.run_option import run_option
from lockstep.facts.runs.sweep_keys import is_sweep


@click.command(context_settings={"show_default": True})
@gang_or_sweep_argument
@run_option("Failed runs of a sweep to repeat, such as 17 or 0-3,7.")
@click.option(
    "--timeout",
    metavar="DURATION",
    callback=as_seconds,
    default="5m",
    help="How long the command waits for the gang to end.",
)
@namespace_option
@connection_options
@output_option
def requeue(gang: KeyIn, namespace: str | None, output: str, *, runs: str, timeout: float, **connection: Any) -> None:
    """Put a gang back into the queue. The gang may run, pause after a failure, be suspended, or have ended.

    For example: lockstep requeue gj/heat, or lockstep requeue sweep/search --run 17

    If the gang runs, its members are stopped with their grace period, and the gang keeps its age. If the gang has
    ended, it is deleted with the logs of its members, and created again.
    """
    with one_sentence():
        key = gang(namespace or usual_namespace(**connection))
        if is_sweep(key) != bool(runs):
            raise click.UsageError(
                "--run and sweep/NAME belong together: give the failed runs of the sweep, as in sweep/NAME --run 17."
            )
        try:
            done = asyncio.run(_requeue(connection, key, runs, within_seconds=timeout))
        except NotMadeAnewError as error:
            click.echo(yaml.safe_dump(error.manifest, sort_keys=False))
            raise
        if output == "json":
            print_document({"gang": key._asdict(), "message": done})
        else:
            print_lines([done])


async def _requeue(connection: dict[str, str | None], key: GangKey, runs: str, *, within_seconds: float) -> str:
    async with one_client(load_configuration(**connection)) as client:
        if is_sweep(key):
            waiting = partial(waiting_with_progress, "Waiting until the operator has seen it")
            return await requeue_runs(client, key, runs, within_seconds=within_seconds, waiting=waiting)
        return await requeue_gang(
            client,
            key,
            within_seconds=within_seconds,
            waiting=lambda: waiting_with_progress("Waiting until it holds nothing"),
        )
