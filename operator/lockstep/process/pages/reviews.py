"""Checks which callers may read the metrics: the API server reviews their tokens and rights.

Results are kept for a short time, by a digest of the token. An unknown token is reviewed only while fewer than eight
reviews are under way, and for each address only a few per second. Other unknown tokens are refused. Tokens that were
allowed before are always reviewed.
"""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple, assert_never

from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError, Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.review import access_review, is_allowed, reviewed_caller, token_review
from lockstep.api.manifest import Manifest
from lockstep.process.pages.allowances import Allowances

log = logging.getLogger(__name__)

# Seconds for which results are kept. A change of rights has no effect for this time.
_ALLOWED_SECONDS = 60.0
_OTHERWISE_SECONDS = 10.0
_MOST_REMEMBERED = 1024
_MOST_UNDER_WAY = 8
_UNKNOWN_A_SECOND = 5.0
_UNKNOWN_AT_ONCE = 20.0
_PATIENCE_SECONDS = 30.0


class Verdict(Enum):
    """The result of a review of a token."""

    ALLOWED = auto()
    UNKNOWN_TOKEN = auto()
    FORBIDDEN = auto()
    TOO_MANY = auto()
    NOT_REVIEWED = auto()


def _remembered_seconds(verdict: Verdict) -> float | None:
    match verdict:
        case Verdict.ALLOWED:
            return _ALLOWED_SECONDS
        case Verdict.UNKNOWN_TOKEN | Verdict.FORBIDDEN | Verdict.TOO_MANY:
            return _OTHERWISE_SECONDS
        case Verdict.NOT_REVIEWED:
            # The previous result is kept, since tokens that were allowed before are reviewed ahead of unknown ones.
            return None
        case _:
            assert_never(verdict)


class _KnownReview(NamedTuple):
    verdict: Verdict
    until: float


class Reviews:
    """Checks whether the holder of a token may get one non-resource path."""

    def __init__(self, client: KubeClient, *, path: str, monotonic: Callable[[], float]) -> None:
        self._client = client
        self._path = path
        self._monotonic = monotonic
        self._known: OrderedDict[bytes, _KnownReview] = OrderedDict()
        self._under_way: dict[bytes, asyncio.Task[Verdict]] = {}
        self._unknown_tokens = Allowances(monotonic, at_once=_UNKNOWN_AT_ONCE, a_second=_UNKNOWN_A_SECOND)
        self._trouble: str | None = None

    async def verdict(self, token: str, address: str) -> Verdict:
        """Review a token that came from ``address``. Concurrent calls with the same token share one review."""
        key = hashlib.sha256(token.encode()).digest()
        known = self._known.get(key)
        if known is not None and self._monotonic() < known.until:
            return known.verdict
        if key not in self._under_way:
            was_allowed = known is not None and known.verdict is Verdict.ALLOWED
            if not was_allowed and not self._may_review_unknown(address):
                return Verdict.TOO_MANY
            self._under_way[key] = asyncio.create_task(self._judge(key, token))
        return await asyncio.shield(self._under_way[key])

    def _may_review_unknown(self, address: str) -> bool:
        return len(self._under_way) < _MOST_UNDER_WAY and self._unknown_tokens.take(address)

    async def _judge(self, key: bytes, token: str) -> Verdict:
        try:
            verdict = await self._review(token)
        finally:
            del self._under_way[key]
        self._remember(key, verdict)
        return verdict

    def _remember(self, key: bytes, verdict: Verdict) -> None:
        seconds = _remembered_seconds(verdict)
        if seconds is None:
            return
        self._known[key] = _KnownReview(verdict, self._monotonic() + seconds)
        self._known.move_to_end(key)
        if len(self._known) > _MOST_REMEMBERED:
            self._known.popitem(last=False)

    async def _review(self, token: str) -> Verdict:
        answer = await self._ask(paths.TOKEN_REVIEWS, token_review(token))
        if answer is None:
            return Verdict.NOT_REVIEWED
        caller = reviewed_caller(answer.body)
        if caller is None:
            return Verdict.UNKNOWN_TOKEN
        answer = await self._ask(paths.ACCESS_REVIEWS, access_review(caller, path=self._path, verb="get"))
        if answer is None:
            return Verdict.NOT_REVIEWED
        return Verdict.ALLOWED if is_allowed(answer.body) else Verdict.FORBIDDEN

    async def _ask(self, target: Target, body: Manifest) -> Answer | None:
        """The answer, or None if there is none. An error is logged unless it equals the previous one."""
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                answer = await self._client.review(target, body)
            trouble = None if answer.is_success else f"{target.resource}: {answer.message}"
        except TimeoutError:
            # Requests wait while the operator's own token is not accepted.
            why = self._client.credentials.trouble or f"no answer within {_PATIENCE_SECONDS:g} s"
            answer, trouble = None, f"{target.resource}: {why}"
        except ApiUnavailableError as error:
            answer, trouble = None, str(error)
        if trouble is not None and trouble != self._trouble:
            log.error("no caller of %s can be authorized: %s", self._path, trouble)
        self._trouble = trouble
        return answer if trouble is None else None
