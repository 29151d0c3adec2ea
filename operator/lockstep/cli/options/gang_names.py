"""Shell completion for names of gangs."""

import asyncio
from collections.abc import Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

from lockstep.answers.reading.cluster import one_client, read_gangs
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client.configuration import ConfigError, load_configuration, usual_namespace

_SECONDS = 2.0


def complete_gang(context: click.Context, _argument: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The gangs of the namespace in question; none if the API server does not answer within two seconds."""
    kind, slash, beginning = incomplete.rpartition("/")
    try:
        names = asyncio.run(_names(context.params))
    except (AnswerError, ConfigError, TimeoutError):
        return []
    return [CompletionItem(f"{kind}{slash}{name}") for name in names if name.startswith(beginning)]


async def _names(given: Mapping[str, Any]) -> list[str]:
    connection = {name: given.get(name) for name in ("kubeconfig", "context")}
    namespace = given.get("namespace") or usual_namespace(**connection)
    async with asyncio.timeout(_SECONDS), one_client(load_configuration(**connection)) as client:
        return sorted(gang.key.name for gang in await read_gangs(client, namespace))
