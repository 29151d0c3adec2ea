"""Requests that are sent many at once: none begins after a failure, and those in progress are answered."""

import asyncio

import pytest

from lockstep.act.requests.concurrent import WORKERS, for_each
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason

pytestmark = pytest.mark.asyncio

REFUSED = Failure(reason=Reason.POD_REFUSED, message="no")


async def test_nothing_begins_or_goes_on_after_an_error():
    begun, ended = [], []

    async def do(item):
        begun.append(item)
        await asyncio.sleep(1 + item)
        if item == 1:
            raise ValueError("no")
        ended.append(item)

    with pytest.raises(ValueError, match="no"):
        await for_each(range(10 * WORKERS), do)
    count = len(begun)
    await asyncio.sleep(1000)

    assert len(begun) == count == len(ended) + 1


async def test_first_failure_counts_and_requests_in_progress_are_answered():
    ended = []

    async def do(item):
        await asyncio.sleep(1 + item)
        ended.append(item)
        return REFUSED if item else None

    assert await for_each(range(10 * WORKERS), do) is REFUSED
    assert ended == [*range(WORKERS), WORKERS] or ended == [*range(WORKERS + 1)]
