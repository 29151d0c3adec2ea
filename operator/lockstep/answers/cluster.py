"""One look at a cluster: everything that the operator watches, listed once. Nothing is written."""

from collections.abc import Callable
from typing import Any

from lockstep.answers.errors import AnswerError
from lockstep.api.client import ApiUnavailableError, KubeClient
from lockstep.api.configuration import Configuration
from lockstep.belief.state import State
from lockstep.watch.kind import Kind
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
        await _read(client, make_kind(state))
        told()


async def _read(client: KubeClient, kind: Kind[Any]) -> None:
    """Believe one list; one that has expired between two pages begins again."""
    while True:
        try:
            async for page in pages(client, kind.target):
                for manifest in page["items"] or ():
                    kind.believe(manifest)
        except ListError as error:
            if error.code != GONE:
                raise AnswerError(_sentence(kind.target.resource, error)) from error
        except ApiUnavailableError as error:
            raise AnswerError(f"The API server at {client.configuration.host} does not answer: {error}.") from error
        else:
            return


def _sentence(resource: str, error: ListError) -> str:
    if error.code == _NOT_FOUND:
        return f"The API server does not know {resource}: apply the CRDs first (kubectl apply -f crds/)."
    return f"The verb list on {resource} of all namespaces is needed, and was refused: {error}."
