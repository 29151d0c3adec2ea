"""Tracks whether the API server accepts our credentials, and holds requests back while it does not."""

import asyncio
import logging
from contextlib import suppress
from http import HTTPStatus

from lockstep.api.client.configuration import Configuration
from lockstep.api.client.pauses import pause_after

# A server that is overloaded or just starting may answer with these codes before it has checked credentials.
_SAYS_NOTHING = 429
_SAYS_NOTHING_FROM = 500
# A server that has just started may refuse all credentials for a moment. So a refusal is reported only after this
# number of tries, which take 3 s.
_TRIES_BEFORE_REPORT = 2

_WHY = "they have probably expired, or their account was deleted or created again"
_OPERATORS_WAY = (
    "in a cluster, restart the operator's pod; elsewhere, put a token of `kubectl create token lockstep --namespace "
    "lockstep-system` into the kubeconfig and start the operator again"
)
_PERSONS_WAY = (
    "log in again, or put a token of `kubectl create token ACCOUNT --namespace NAMESPACE` into the kubeconfig"
)

REFUSED = (
    f"the API server rejects the credentials of this process (401 Unauthorized): {_WHY}; "
    f"the process can read and write nothing until it has new credentials: {_OPERATORS_WAY}"
)
"""The sentence for users of an operator whose credentials were accepted before and are refused now."""

log = logging.getLogger(__name__)


class Credentials:
    """Tracks, by the answers to all requests, whether our token or certificate is accepted.

    All clients of a process share one such object. If credentials that were accepted before are refused, all requests
    wait, and single requests are sent after 1, 2, 4 … 60 s. If credentials were never accepted, a refusal is an answer
    like any other.
    """

    def __init__(self, *, refused: str = REFUSED) -> None:
        """``refused`` is the sentence for users when credentials are no longer accepted, without a period."""
        self._refused_sentence = refused
        self._was_accepted = False
        self._accepted = asyncio.Event()
        self._tries = 0
        self._ask_again_at = 0.0
        self._refused_since = 0.0
        self.trouble = ""
        """A sentence that says what is wrong and what to do, without a period; '' if nothing is wrong."""

    async def accepted(self) -> None:
        """Return at once. But if credentials that were accepted before are refused, wait until they are accepted."""
        if self._is_refused:
            await self._accepted.wait()

    async def turn(self) -> None:
        """Return at once. But if credentials that were accepted before are refused, wait.

        The wait ends when they are accepted again, or when this request is the next one to be sent after a pause.
        """
        while self._is_refused and (left := self._ask_again_at - _now()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._accepted.wait()
        if self._is_refused:
            self._tries += 1
            self._ask_again_at = _now() + pause_after(self._tries)

    def answered(self, code: int) -> bool:
        """Record the HTTP code of an answer.

        Returns True if the same request must be sent again, after :meth:`turn`.
        """
        if code == HTTPStatus.UNAUTHORIZED:
            self._refused()
        elif code != _SAYS_NOTHING and code < _SAYS_NOTHING_FROM:
            self._accept()
        return code == HTTPStatus.UNAUTHORIZED and self._was_accepted

    @property
    def _is_refused(self) -> bool:
        return self._was_accepted and not self._accepted.is_set()

    def _refused(self) -> None:
        if self._accepted.is_set():
            self._accepted.clear()
            self._tries = 0
            self._refused_since = _now()
            self._ask_again_at = _now() + pause_after(0)
        if self._is_refused and self._tries >= _TRIES_BEFORE_REPORT and not self.trouble:
            self.trouble = self._refused_sentence
            log.error("%s", self.trouble)

    def _accept(self) -> None:
        if self.trouble:
            log.info(
                "the API server accepts the credentials of this process again, after %.0f s",
                _now() - self._refused_since,
            )
        self.trouble = ""
        self._was_accepted = True
        self._accepted.set()


def refused_at_start(configuration: Configuration) -> str:
    """The message of an operator whose credentials are refused when it starts, without a period."""
    return f"the {_not_let_in(configuration)}; {_OPERATORS_WAY}"


def refused_to_person(configuration: Configuration) -> str:
    """The message of a command whose credentials are refused, without a period."""
    return f"The {_not_let_in(configuration)}; {_PERSONS_WAY}"


def _not_let_in(configuration: Configuration) -> str:
    not_accepted = f"it rejects the credentials of {configuration.source} (401 Unauthorized)"
    return f"API server at {configuration.host} refuses access: {not_accepted}: {_WHY}"


def _now() -> float:
    return asyncio.get_running_loop().time()
