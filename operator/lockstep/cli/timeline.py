"""``lockstep timeline``: serves a page on this machine that shows when the gangs of a namespace run."""

import asyncio
from functools import partial
from time import monotonic

import click

from lockstep.answers.reading.cluster import one_client
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import Configuration, load_configuration, usual_namespace
from lockstep.cli.options.answer_options import namespace_option, one_sentence
from lockstep.cli.options.connection_options import connection_options
from lockstep.cli.options.listen_options import port_option
from lockstep.tenants.commands.asking import NoAnswer, ask_answer
from lockstep.tenants.commands.timeline_page import TimelinePage, listen_on_loopback
from lockstep.tenants.documents import ONLY_ONE, AnswerKind, Document


@click.command(context_settings={"show_default": True})
@namespace_option
@port_option("--port", 0, "Port to listen on; 0 is any free one.")
@connection_options
def timeline(namespace: str | None, port: int, **connection: str | None) -> None:
    """Serve a page on this machine that shows when the gangs of a namespace run, until Ctrl-C.

    For example: lockstep timeline --namespace team-a

    The page shows the gangs of the namespace in full. For other namespaces it shows only which nodes are occupied. The
    page reads the cluster's API for tenants. You need the right to get GangJobs in the namespace.
    """
    with one_sentence():
        configuration = load_configuration(**connection)
        asyncio.run(_serve(configuration, namespace or usual_namespace(**connection), port))


async def _serve(configuration: Configuration, namespace: str, port: int) -> None:
    async with one_client(configuration) as client:
        page = TimelinePage(partial(_ask, client, namespace), monotonic)
        await page.newest()
        try:
            async with listen_on_loopback(page, port) as address:
                click.echo(f"The timeline of namespace {namespace} is at {address}")
                await asyncio.Event().wait()
        except OSError as error:
            raise AnswerError(f"Port {port} of this machine can't be used: {error.strerror}.") from error


async def _ask(client: KubeClient, namespace: str) -> Document | NoAnswer:
    return await ask_answer(client, AnswerKind.TIMELINES, namespace, ONLY_ONE)
