"""The names that kubectl accepts for the kinds of gangs, and shell completion for the names of gangs."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

from lockstep.answers.reading.cluster import one_client, read_gangs, read_pod_gangs, read_sweeps
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import ConfigError, load_configuration, usual_namespace
from lockstep.api.names import GANG_KIND, GANGS, GROUP, POD_GANG_KIND, POD_GANGS, SWEEP_KIND, SWEEPS
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import object_name
from lockstep.facts.runs.sweep_keys import sweep_name

_SECONDS = 2.0
_Read = Callable[[KubeClient, str], Awaitable[list[str]]]
"""Reads the names of one kind's objects in a namespace."""


def _words(kind: str, plural: str) -> frozenset[str]:
    return frozenset({kind.lower(), plural, f"{kind.lower()}.{GROUP}", f"{plural}.{GROUP}"})


GANG_JOB_WORDS = frozenset({"gj", *_words(GANG_KIND, GANGS)})
"""The words that may be before the slash instead of ``gj``, in lower case."""
GANG_WORDS = _words(POD_GANG_KIND, POD_GANGS)
"""The words that may be before the slash instead of ``gang``, in lower case."""

SWEEP_WORDS = frozenset({"sweep", "sweeps", *_words(SWEEP_KIND, SWEEPS)})
"""The words that may be before the slash instead of ``sweep``, in lower case."""


def complete_gang(context: click.Context, _argument: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete names of the namespace's GangJobs.

    There are no completions if the API server needs more than two seconds.
    """
    return _completed(context, incomplete, {})


def complete_gang_or_sweep(context: click.Context, _argument: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete names of GangSweeps after ``sweep/``, and otherwise names of GangJobs."""
    return _completed(context, incomplete, {SWEEP_WORDS: _sweeps})


def complete_any_gang(context: click.Context, _argument: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete names of Gangs after ``gang/``, of GangSweeps after ``sweep/``, and otherwise of GangJobs."""
    return _completed(context, incomplete, {GANG_WORDS: _pod_gangs, SWEEP_WORDS: _sweeps})


def _completed(context: click.Context, incomplete: str, others: Mapping[frozenset[str], _Read]) -> list[CompletionItem]:
    """The names that begin with the incomplete one.

    If the word before the slash is one of ``others``, the names are names of that kind. Otherwise they are names of
    GangJobs.
    """
    kind, slash, beginning = incomplete.rpartition("/")
    read = next((read for words, read in others.items() if kind.lower() in words), _gang_jobs)
    try:
        names = asyncio.run(_names(context.params, read))
    except (AnswerError, ConfigError, TimeoutError):
        return []
    return [CompletionItem(f"{kind}{slash}{name}") for name in names if name.startswith(beginning)]


async def _gang_jobs(client: KubeClient, namespace: str) -> list[str]:
    return _names_of(await read_gangs(client, namespace))


async def _pod_gangs(client: KubeClient, namespace: str) -> list[str]:
    return _names_of(await read_pod_gangs(client, namespace))


async def _sweeps(client: KubeClient, namespace: str) -> list[str]:
    return [sweep_name(one.key) for one in await read_sweeps(client, namespace)]


def _names_of(gangs: Iterable[GangFact]) -> list[str]:
    return [object_name(gang.key) for gang in gangs]


async def _names(given: Mapping[str, Any], read: _Read) -> list[str]:
    connection = {name: given.get(name) for name in ("kubeconfig", "context")}
    namespace = given.get("namespace") or usual_namespace(**connection)
    async with asyncio.timeout(_SECONDS), one_client(load_configuration(**connection)) as client:
        return sorted(await read(client, namespace))
