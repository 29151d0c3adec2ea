"""``lockstep profile``: fits ``work`` to finished runs of a gang's template. Users paste the result into the spec."""

import asyncio
import sys
from typing import Any

import click

from coschedule import GangKey
from lockstep.answers.plan.chart import marks_for
from lockstep.answers.profile.profile import answer_profile
from lockstep.answers.profile.profile_document import profile_document
from lockstep.answers.profile.profile_text import profile_lines
from lockstep.answers.reading.cluster import one_client, read_gangs
from lockstep.api.client.configuration import Configuration, load_configuration, usual_namespace
from lockstep.cli.options.answer_options import (
    namespace_option,
    one_sentence,
    output_option,
    print_document,
    print_lines,
)
from lockstep.cli.options.connection_options import connection_options
from lockstep.cli.options.gang_argument import gang_argument
from lockstep.facts.gang.gang import GangFact


@click.command(context_settings={"show_default": True})
@gang_argument
@namespace_option
@connection_options
@output_option
def profile(gang: str, namespace: str | None, output: str, **connection: Any) -> None:
    """Show how the run time of a gang depends on its size, as measured in finished runs of its template.

    For example: lockstep profile gj/heat --namespace default

    The command prints a block "work" for the spec, and compares its forecasts with measured run times. If too few
    runs have finished, it lists the missing runs. It changes nothing in the cluster.
    """
    with one_sentence():
        key = GangKey(namespace or usual_namespace(**connection), gang)
        gangs = asyncio.run(_read(load_configuration(**connection), key.namespace))
        answer = answer_profile(gangs, key)
        if output == "json":
            print_document(profile_document(answer))
        else:
            print_lines(profile_lines(answer, marks_for(sys.stdout.encoding).finish))


async def _read(configuration: Configuration, namespace: str) -> list[GangFact]:
    async with one_client(configuration) as client:
        return await read_gangs(client, namespace)
