"""What kubectl calls the kinds of gangs, and shell completion for their names."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

from lockstep.answers.reading.cluster import one_client, read_gangs, read_pod_gangs
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import ConfigError, load_configuration, usual_namespace
from lockstep.api.names import GANG_KIND, GANGS, GROUP, POD_GANG_KIND, POD_GANGS, SWEEP_KIND, SWEEPS
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import object_name

_SECONDS = 2.0
_Read = Callable[[KubeClient, str], Awaitable[list[GangFact]]]


def _words(kind: str, plural: str) -> frozenset[str]:
    return frozenset({kind.lower(), plural, f"{kind.lower()}.{GROUP}", f"{plural}.{GROUP}"})


GANG_JOB_WORDS = frozenset({"gj", *_words(GANG_KIND, GANGS)})
"""What may stand before the slash in the place of ``gj``, in lower case."""
GANG_WORDS = _words(POD_GANG_KIND, POD_GANGS)
"""What may stand before the slash in the place of ``gang``."""

SWEEP_WORDS = frozenset({"sweep", "sweeps", *_words(SWEEP_KIND, SWEEPS)})
"""What may stand before the slash in the place of ``sweep``."""


def complete_gang(context: click.Context, _argument: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The GangJobs of the namespace in question; none if the API server does not answer within two seconds."""
    return _completed(context, incomplete, read_gangs)


def complete_any_gang(context: click.Context, _argument: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Behind ``gang/`` the Gangs of that namespace, otherwise its GangJobs."""
    is_pod_gang = incomplete.rpartition("/")[0].lower() in GANG_WORDS
    return _completed(context, incomplete, read_pod_gangs if is_pod_gang else read_gangs)


def _completed(context: click.Context, incomplete: str, read: _Read) -> list[CompletionItem]:
    kind, slash, beginning = incomplete.rpartition("/")
    try:
        names = asyncio.run(_names(context.params, read))
    except (AnswerError, ConfigError, TimeoutError):
        return []
    return [CompletionItem(f"{kind}{slash}{name}") for name in names if name.startswith(beginning)]


async def _names(given: Mapping[str, Any], read: _Read) -> list[str]:
    connection = {name: given.get(name) for name in ("kubeconfig", "context")}
    namespace = given.get("namespace") or usual_namespace(**connection)
    async with asyncio.timeout(_SECONDS), one_client(load_configuration(**connection)) as client:
        return sorted(object_name(gang.key) for gang in await read(client, namespace))
