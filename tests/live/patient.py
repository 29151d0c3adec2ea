"""A sandbox whose API server may be away at any moment: every request is repeated until it answers."""

import http.client
from collections.abc import Mapping
from typing import Any, cast

from eventually import eventually
from sandbox import ApiError, Sandbox

PATIENCE_SECONDS = 120.0
# What an API server says that is about to go, or has only just come.
AWAY = frozenset({429, 500, 503, 504})


def patient(api: Sandbox) -> Sandbox:
    """The same sandbox for a client that goes on asking while its API server is away."""
    return cast("Sandbox", _Patient(api))


class _Patient:
    """Stands for the sandbox.

    A request whose answer was lost may have been carried out: then its repetition says so, by "exists already" or "not
    found", and that counts as done.
    """

    def __init__(self, api: Sandbox) -> None:
        self._api = api

    def __getattr__(self, name: str) -> Any:
        """Whatever else the sandbox has."""
        return getattr(self._api, name)

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send one request until it is answered by a server that is there."""
        lost = []

        def answer() -> list[dict[str, Any]]:
            try:
                return [self._api.request(method, path, body)]
            except (OSError, http.client.HTTPException) as error:
                lost.append(error)
            except ApiError as error:
                if lost and (method, error.status) in (("POST", 409), ("DELETE", 404)):
                    return [{}]
                if error.status not in AWAY:
                    raise
                lost.append(error)
            return []

        [answered] = eventually(answer, seconds=PATIENCE_SECONDS)
        return answered
