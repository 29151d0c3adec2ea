"""A process ends while a Job changes its size: the next one finishes the change, or takes it back."""

import pytest

from builders.served import gang, node
from fake_cluster.api import ANSWER_LOST, NEVER_ARRIVED
from fake_cluster.elastic_jobs import SMALL, SOURCES, create_job, drain, has_size, indexed, numbers, placed, uids
from fake_cluster.jumping import until
from fake_cluster.rig import api_with, is_placed, running_operator

pytestmark = pytest.mark.asyncio

THIRD = node("n3", cpu="2")
OFTEN = {"lockstep.dev/min-interval": "10s"}
# The reservation, the Job, the binding of each of two pods, and the status that they are bound.
WRITES_OF_GROWTH = 5
# The status that pods leave, the Job, and the status that they have left.
WRITES_OF_SHRINK = 3


class Death:
    """The process ends at its write of that number about the Job, which arrives or not. Events do not count."""

    def __init__(self, number, *, arrives):
        self._left = number
        self._arrives = arrives
        self.is_over = False

    def __call__(self, it):
        """The fault of a request."""
        if self.is_over:
            return NEVER_ARRIVED
        is_counted = it.is_write and it.resource != "events" and "heat" in it.name
        if not is_counted or self._left > 0:
            self._left -= is_counted
            return None
        self.is_over = True
        return ANSWER_LOST if self._arrives else NEVER_ARRIVED


@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize("number", range(WRITES_OF_GROWTH))
async def test_growth_is_whole_or_undone(number, arrives):
    async with api_with(*SMALL) as api, indexed(api):
        async with running_operator(api, sources=SOURCES):
            create_job(api, annotations=OFTEN)
            await until(lambda: has_size(api, 4))
            before, death = uids(api), Death(number, arrives=arrives)
            api.fault = death
            api.store.add("nodes", THIRD)
            await until(lambda: death.is_over)
        api.fault = lambda _: None
        async with running_operator(api, sources=SOURCES):
            await until(lambda: has_size(api, 6), seconds=300)

        assert before <= uids(api)
        assert {index: where for index, where in placed(api).items() if index > 3} == {4: "n3", 5: "n3"}


@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize("number", range(WRITES_OF_SHRINK))
async def test_job_whose_node_is_drained_goes_on_with_fewer_pods(number, arrives):
    async with api_with(*SMALL) as api, indexed(api):
        async with running_operator(api, sources=SOURCES):
            create_job(api, annotations=OFTEN)
            await until(lambda: has_size(api, 4))
            death = Death(number, arrives=arrives)
            api.fault = death
            drain(api, placed(api)[1])
            await until(lambda: death.is_over)
        api.fault = lambda _: None
        async with running_operator(api, sources=SOURCES):
            await until(lambda: has_size(api, 2), seconds=300)


@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize("number", range(WRITES_OF_SHRINK))
async def test_shrink_is_finished_or_dropped(number, arrives):
    async with api_with(*SMALL) as api, indexed(api):
        async with running_operator(api, sources=SOURCES):
            create_job(api, annotations=OFTEN)
            await until(lambda: has_size(api, 4))
            before = uids(api)
            api.store.add("nodes", THIRD)
            await until(lambda: has_size(api, 6))
            death = Death(number, arrives=arrives)
            api.fault = death
            api.store.create("gangjobs", gang("waits", size=2, cpu="1"))
            await until(lambda: death.is_over)
        api.fault = lambda _: None
        async with running_operator(api, sources=SOURCES):
            await until(lambda: has_size(api, 4) and is_placed(api, "waits"), seconds=300)

        assert uids(api) == before


async def test_room_that_another_gang_has_got_meanwhile_is_not_taken_twice():
    async with api_with(*SMALL) as api, indexed(api):
        async with running_operator(api, sources=SOURCES):
            create_job(api, annotations=OFTEN)
            await until(lambda: has_size(api, 4))
            death = Death(2, arrives=False)
            api.fault = death
            api.store.add("nodes", THIRD)
            await until(lambda: death.is_over)
        assert numbers(api) == (6, 6, "6")
        api.fault = lambda _: None
        api.store.create("gangjobs", gang("other", size=2, cpu="1"))
        async with running_operator(api, sources=SOURCES):
            await until(lambda: is_placed(api, "other"), seconds=300)
            await until(lambda: has_size(api, 4), seconds=300)

        assert "n3" not in placed(api).values()
