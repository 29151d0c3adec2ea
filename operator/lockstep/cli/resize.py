"""``lockstep resize``: requests another size for an elastic gang."""

import asyncio
from typing import Any

import click

from coschedule import GangKey
from lockstep.answers.reading.cluster import one_client
from lockstep.answers.resize import resize_gang
from lockstep.api.client.configuration import load_configuration, usual_namespace
from lockstep.cli.options.answer_options import (
    namespace_option,
    one_sentence,
    output_option,
    print_document,
    print_lines,
)
from lockstep.cli.options.connection_options import connection_options
from lockstep.cli.options.gang_argument import gang_argument


@click.command(context_settings={"show_default": True})
@gang_argument
@click.option("--size", type=click.IntRange(1, 10_000), help="Number of members of the gang, all roles together.")
@click.option("--any-size", is_flag=True, help="Remove the chosen size. Lockstep then chooses the size again.")
@namespace_option
@connection_options
@output_option
def resize(
    gang: str, namespace: str | None, output: str, *, size: int | None, any_size: bool, **connection: Any
) -> None:
    """Set the size of an elastic gang, within its range. The gang may wait or run.

    For example: lockstep resize gj/heat --size 4

    The size changes as soon as there is room, but not earlier than elastic.minInterval after the last change.
    """
    if (size is None) != any_size:
        raise click.UsageError("give either --size or --any-size")
    with one_sentence():
        key = GangKey(namespace or usual_namespace(**connection), gang)
        done = asyncio.run(_resize(connection, key, size))
        if output == "json":
            print_document({"gang": key._asdict(), "size": size, "message": done})
        else:
            print_lines([done])


async def _resize(connection: dict[str, str | None], key: GangKey, size: int | None) -> str:
    async with one_client(load_configuration(**connection)) as client:
        return await resize_gang(client, key, size)
