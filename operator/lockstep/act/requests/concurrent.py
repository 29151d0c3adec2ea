"""Sends many requests at once, until one fails."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from lockstep.api.client.answer import ApiUnavailableError
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason

Item = TypeVar("Item")

# The number of requests that the client sends at once. More workers would only queue there.
WORKERS = 64


async def for_each(items: Sequence[Item], do: Callable[[Item], Awaitable[Failure | None]]) -> Failure | None:
    """Call ``do`` for every item, in order and several at a time. No more calls start after a failure or an error.

    Returns the first failure, or None. Raises the first error. Requests in progress still finish, because a cancelled
    request has an unknown outcome.
    """
    remaining = iter(items)
    failures: list[Failure] = []
    errors: list[Exception] = []

    async def work() -> None:
        for item in remaining:
            try:
                failure = await _attempt(do, item)
            except Exception as error:  # noqa: BLE001 - it is raised when the others have finished
                errors.append(error)
                return
            if failure is not None:
                failures.append(failure)
            if failures or errors:
                return

    await asyncio.gather(*(work() for _ in range(min(WORKERS, len(items)))))
    if errors:
        raise errors[0]
    return failures[0] if failures else None


async def _attempt(do: Callable[[Item], Awaitable[Failure | None]], item: Item) -> Failure | None:
    try:
        return await do(item)
    except ApiUnavailableError as error:
        return Failure(reason=Reason.API_UNAVAILABLE, message=f"the API server did not answer: {error}")
