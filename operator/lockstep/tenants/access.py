"""Whether a caller may read a namespace's gangs: the API server reviews it, and results are kept for some seconds."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import orjson

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.review import Caller, is_allowed, object_review
from lockstep.api.names import GROUP
from lockstep.tenants.trouble import NoAnswerNowError, Trouble

# How long a change of rights may go unnoticed.
_KEPT_SECONDS = 10.0
_MOST_KEPT = 1024
_PATIENCE_SECONDS = 10.0


class Asked(NamedTuple):
    """A kind of gangs in a namespace, the name of one of them, all without a name, and what is done with it."""

    resource: str
    namespace: str
    name: str = ""
    verb: str = "get"


class _Reviewed(NamedTuple):
    is_allowed: bool
    until: float


class GangAccess:
    """Reviews who may get gangs, and who may create them."""

    def __init__(self, client: KubeClient, monotonic: Callable[[], float]) -> None:
        self._client = client
        self._monotonic = monotonic
        self._kept: OrderedDict[tuple[bytes, Asked], _Reviewed] = OrderedDict()

    async def may(self, caller: Caller, asked: Asked) -> bool:
        """Whether the caller may do that. Raises ``NoAnswerNowError`` if the API server does not say."""
        key = (_digest(caller), asked)
        kept = self._kept.get(key)
        if kept is None or self._monotonic() >= kept.until:
            kept = _Reviewed(await self._review(caller, asked), self._monotonic() + _KEPT_SECONDS)
            self._kept[key] = kept
            self._kept.move_to_end(key)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return kept.is_allowed

    async def _review(self, caller: Caller, asked: Asked) -> bool:
        body = object_review(caller, group=GROUP, **asked._asdict())
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                answer = await self._client.review(paths.ACCESS_REVIEWS, body)
        except (TimeoutError, ApiUnavailableError) as error:
            raise NoAnswerNowError(Trouble.NOT_REVIEWED, str(error) or type(error).__name__) from error
        if not answer.is_success:
            raise NoAnswerNowError(Trouble.NOT_REVIEWED, answer.message)
        return is_allowed(answer.body)


def _digest(caller: Caller) -> bytes:
    """A digest of all that the API server knows of a caller: rights may follow from groups, too."""
    return hashlib.sha256(orjson.dumps(caller.user, option=orjson.OPT_SORT_KEYS)).digest()
