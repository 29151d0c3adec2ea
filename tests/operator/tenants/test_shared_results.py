"""Questions that need the same at once share one request; failures are not kept."""

import asyncio

import pytest

from lockstep.tenants.shared_results import KEPT_SECONDS, SharedResults

pytestmark = pytest.mark.asyncio


class Requests:
    """Counts the requests, each of which ends when it is released."""

    def __init__(self):
        self.now, self.made, self.error = 0.0, 0, None
        self.released = asyncio.Event()
        self.results = SharedResults(lambda: self.now)

    async def ask(self):
        self.made += 1
        await self.released.wait()
        if self.error:
            raise self.error
        return self.made

    def get(self, key):
        return self.results.get(key, self.ask)


async def test_a_crowd_with_the_same_question_makes_one_request():
    requests = Requests()
    asking = [asyncio.create_task(requests.get("jane")) for _ in range(100)]
    await asyncio.sleep(0)
    asking[0].cancel()
    requests.released.set()

    assert set(await asyncio.gather(*asking[1:])) == {1}
    assert (await requests.get("jane"), await requests.get("joe")) == (1, 2)


async def test_result_is_as_old_as_its_question_at_most():
    """It may have been true at the beginning of the request only."""
    requests = Requests()
    asking = asyncio.create_task(requests.get("jane"))
    await asyncio.sleep(0)
    requests.now = KEPT_SECONDS
    requests.released.set()

    assert await asking == 1
    assert await requests.get("jane") == 2


async def test_failure_is_raised_for_all_and_not_kept():
    requests = Requests()
    requests.error = ValueError("away")
    asking = [asyncio.create_task(requests.get("jane")) for _ in range(3)]
    await asyncio.sleep(0)
    requests.released.set()

    assert [type(one) for one in await asyncio.gather(*asking, return_exceptions=True)] == [ValueError] * 3
    requests.error = None
    assert await requests.get("jane") == 2
