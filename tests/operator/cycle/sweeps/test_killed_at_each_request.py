"""The operator is killed at each write of a sweep's life: no run is made twice, and none is forgotten."""

import random
from collections import Counter

import pytest

from fake_cluster.api import ANSWER_LOST, DELETE, NEVER_ARRIVED, PATCH, POST
from fake_cluster.jumping import until
from fake_cluster.rig import api_with, running_operator
from fake_cluster.sweeps import SWEEP, counts, ending, made, run_names, status, sweep

pytestmark = pytest.mark.asyncio

RUNS = 6
KINDS = {(POST, "gangjobs"), (PATCH, "gangsweeps/status"), (DELETE, "gangjobs")}


def is_of_sweep(request):
    """Whether the request is one of those that are sent for sweeps."""
    return request[:2] in KINDS


async def killed_at(api, number, fault):
    """Run an operator until it is about to send the n-th request for sweeps, which then fails so."""
    sent = []

    def stop_there(request):
        if len(sent) >= number and request.is_write:
            return NEVER_ARRIVED
        if is_of_sweep(request):
            sent.append(request)
            return fault if len(sent) == number else None
        return None

    api.fault = stop_there
    async with running_operator(api, sweeps=True):
        await until(lambda: len(sent) >= number or status(api).get("state") == "Complete")
    api.fault = lambda _: None


@pytest.mark.parametrize("fault", [NEVER_ARRIVED, ANSWER_LOST], ids=["before", "after"])
@pytest.mark.parametrize("number", range(1, 19))
async def test_each_run_is_made_once(number, fault):
    """Whichever request it is killed at, and whether that was carried out or not."""
    async with api_with() as api, ending(api, fails=lambda name: name == "s-3"):
        api.store.create("gangsweeps", sweep(runs=RUNS, maxParallel=2))
        await killed_at(api, number, fault)
        async with running_operator(api, sweeps=True):
            await until(lambda: status(api).get("state") == "Complete")
            await until(lambda: run_names(api) == ["s-3"])
        assert (made(api), counts(api)) == ([*range(RUNS)], (RUNS - 1, 1))


@pytest.mark.parametrize("seed", range(4))
async def test_each_run_is_made_once_by_many_short_lives(seed):
    """One process after the other is killed at one of its first requests."""
    draw = random.Random(seed)  # noqa: S311 - cases of a test are no secrets
    async with api_with() as api, ending(api):
        api.store.create("gangsweeps", sweep(runs=RUNS, maxParallel=3))
        for _ in range(6):
            await killed_at(api, draw.randint(1, 4), draw.choice([NEVER_ARRIVED, ANSWER_LOST]))
        async with running_operator(api, sweeps=True):
            await until(lambda: status(api).get("state") == "Complete")
            await until(lambda: run_names(api) == [])
        assert Counter(made(api)) == Counter(range(RUNS))


@pytest.mark.parametrize("fault", [NEVER_ARRIVED, ANSWER_LOST], ids=["before", "after"])
@pytest.mark.parametrize("number", range(1, 5))
async def test_wish_of_requeue_is_obeyed_once(number, fault):
    """The failed run is made once more, whichever request the operator is killed at."""
    async with api_with() as api:
        api.store.create("gangsweeps", sweep(runs=2))
        async with ending(api, fails=lambda name: name == "s-1"), running_operator(api, sweeps=True):
            await until(lambda: status(api).get("state") == "Complete")
            await until(lambda: run_names(api) == ["s-1"])
        annotations = {"lockstep.dev/requeue": "0123-ab 1"}
        api.store.change(SWEEP, metadata={"annotations": annotations})
        async with ending(api):
            await killed_at(api, number, fault)
            async with running_operator(api, sweeps=True):
                await until(lambda: status(api).get("requeued") == "0123-ab" and counts(api) == (2, 0))
                await until(lambda: run_names(api) == [])
        assert made(api) == [0, 1, 1]
