"""Checks whether a caller may read a namespace's gangs, or create GangJobs and GangSweeps there.

The API server reviews the caller's rights. Results are kept for 10 seconds.
"""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.review import Caller, is_allowed, object_review
from lockstep.api.names import GROUP
from lockstep.tenants.parties import digest_of
from lockstep.tenants.shared_results import SharedResults
from lockstep.tenants.trouble import NoAnswerNowError, Trouble

_PATIENCE_SECONDS = 10.0


class Asked(NamedTuple):
    """A verb on a resource in a namespace, such as gangjobs. Without a name, all objects of the resource are meant."""

    resource: str
    namespace: str
    name: str = ""
    verb: str = "get"


class AccessReviews:
    """Reviews who may get gangs, and who may create GangJobs and GangSweeps."""

    def __init__(self, client: KubeClient, monotonic: Callable[[], float]) -> None:
        self._client = client
        self._reviewed = SharedResults[tuple[bytes, Asked], bool](monotonic)

    async def may(self, caller: Caller, asked: Asked) -> bool:
        """Whether the caller may do what is asked. Raises ``NoAnswerNowError`` if the API server gives no result."""
        return await self._reviewed.get((digest_of(caller), asked), lambda: self._review(caller, asked))

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
