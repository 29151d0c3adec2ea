"""One look at a cluster: everything that the operator watches, listed once. Nothing is written."""

from collections.abc import Callable, Mapping
from typing import Any

from lockstep.answers.errors import AnswerError
from lockstep.answers.taught import remember_runs
from lockstep.api import paths
from lockstep.api.client import ApiUnavailableError, KubeClient, Target
from lockstep.api.configuration import Configuration
from lockstep.api.gangjob import parse_gang
from lockstep.belief.state import State
from lockstep.facts.gang import GangFact
from lockstep.watch.kinds import WATCHED, bids_kind, gangs_kind
from lockstep.watch.pages import GONE, ListError, pages

ALL_KINDS = (*WATCHED, gangs_kind, bids_kind)

_NOT_FOUND = 404


def one_client(configuration: Configuration) -> KubeClient:
    """A client for a few requests, of which nobody keeps count."""
    return KubeClient(configuration, concurrency=1, observer=lambda *_: None)


async def read_cluster(client: KubeClient, state: State, *, told: Callable[[], None]) -> None:
    """Believe what the API server lists; ``told`` is called after each of ``ALL_KINDS``. Raises ``AnswerError``."""
    # As a process that stands by: what is reserved is what statuses say.
    state.stand_by()
    for make_kind in ALL_KINDS:
        kind = make_kind(state)
        await _read(client, kind.target, kind.believe)
        told()
    remember_runs(state)


async def read_gangs(client: KubeClient, namespace: str) -> list[GangFact]:
    """The gangs of one namespace. Raises ``AnswerError``."""
    gangs = {}

    def believe(manifest: Mapping[str, Any]) -> None:
        gang = parse_gang(manifest, None)
        gangs[gang.key] = gang

    await _read(client, paths.gangs_of(namespace), believe, whose=f"namespace {namespace}")
    return list(gangs.values())


async def _read(
    client: KubeClient, target: Target, believe: Callable[[Mapping[str, Any]], None], *, whose: str = "all namespaces"
) -> None:
    """Believe one list; one that has expired between two pages begins again."""
    while True:
        try:
            async for page in pages(client, target):
                for manifest in page["items"] or ():
                    believe(manifest)
        except ListError as error:
            if error.code != GONE:
                raise AnswerError(_sentence(target.resource, error, whose)) from error
        except ApiUnavailableError as error:
            raise AnswerError(f"The API server at {client.configuration.host} does not answer: {error}.") from error
        else:
            return


def _sentence(resource: str, error: ListError, whose: str) -> str:
    if error.code == _NOT_FOUND:
        return f"The API server does not know {resource}: apply the CRDs first (kubectl apply -f crds/)."
    return f"The verb list on {resource} of {whose} is needed, and was refused: {error}."
