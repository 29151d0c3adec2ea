"""Checks, before the first watch, that the API server accepts our credentials and knows our kinds."""

import asyncio
from collections.abc import Collection
from http import HTTPStatus

from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import Configuration
from lockstep.api.client.credentials import refused_at_start
from lockstep.api.names import API_VERSION, BIDS, FAIR_SHARES, GANGS, POD_GANGS, SWEEPS
from lockstep.facts.gang.source import Source
from lockstep.process.stores.errors import StartError

# The API server knows a kind only a while after its CRD was applied. The CRD and the operator may be applied together,
# so this waits for 5 s.
_TRIES = 25
_PAUSE_SECONDS = 0.2


async def check_api(
    client: KubeClient,
    configuration: Configuration,
    sources: Collection[Source],
    *,
    sweeps: bool = False,
    fair_shares: bool = False,
) -> None:
    """Return when the API server knows all of our kinds that the options need.

    Raises ``StartError`` if it does not know them within 5 s, does not answer, or refuses access.
    """
    optional = {POD_GANGS: bool(sources), SWEEPS: sweeps, FAIR_SHARES: fair_shares}
    kinds = {GANGS, BIDS, *(kind for kind, is_needed in optional.items() if is_needed)}
    for _ in range(_TRIES):
        answer = await _ask(client, configuration)
        if _lists(answer, kinds):
            return
        if not answer.is_success and not answer.is_unserved:
            raise StartError(_not_let_in(answer, configuration))
        await asyncio.sleep(_PAUSE_SECONDS)
    raise StartError(
        f"the API server does not know all of {', '.join(sorted(kinds))} of {API_VERSION}: "
        "apply the CRDs first (kubectl apply -f crds/)"
    )


async def _ask(client: KubeClient, configuration: Configuration) -> Answer:
    try:
        return await client.get(paths.API_GROUP)
    except ApiUnavailableError as error:
        raise StartError(f"the API server at {configuration.host} does not answer: {error}") from error


def _not_let_in(answer: Answer, configuration: Configuration) -> str:
    if answer.code == HTTPStatus.UNAUTHORIZED:
        return refused_at_start(configuration)
    return f"the API server at {configuration.host} refuses access: {answer.message}"


def _lists(answer: Answer, kinds: set[str]) -> bool:
    return answer.is_success and kinds <= {kind["name"] for kind in answer.body["resources"]}
