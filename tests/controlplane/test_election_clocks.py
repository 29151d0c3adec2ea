"""Electors whose clocks show anything: who leads does not depend on the time of day."""

import asyncio
import itertools
import time
from contextlib import asynccontextmanager

import pytest

from eventually import eventually_async
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import load_configuration
from lockstep.api.client.fence import Fence
from lockstep.api.cluster.lease import LeaseHolder
from lockstep.process.election.elector import ElectionTerms, Elector

pytestmark = pytest.mark.asyncio

# A busy API server that does not answer for some seconds must not cost the holder its lease.
TERMS = ElectionTerms(
    namespace="lockstep-system", name="lockstep", lease_duration=10, renew_deadline=8, retry_period=0.5
)
YEAR = 365 * 24 * 3600.0


class Candidate:
    """An elector, its fence, and how often it has written the lease."""

    def __init__(self, kubeconfig, name, now):
        configuration = load_configuration(kubeconfig=str(kubeconfig), context=None)
        self.fence = Fence(open_until=0.0)
        self.writes = 0
        self.client = KubeClient(configuration, concurrency=1, observer=self._answered)
        self.elector = Elector(self.client, self.fence, TERMS, holder=LeaseHolder.of_instance(name), now=now)

    def _answered(self, verb, _resource, code, _seconds):
        self.writes += verb == "PUT" and code == 200


@asynccontextmanager
async def candidate(kubeconfig, name, now):
    one = Candidate(kubeconfig, name, now)
    async with one.client:
        yield one


async def test_clock_that_is_set_again_and_again_costs_no_leader_the_lease(installed, operator_kubeconfig):
    steps = itertools.cycle([0.0, YEAR, -YEAR, 20.0])
    async with (
        candidate(operator_kubeconfig, "stepping", lambda: time.time() + next(steps)) as holder,
        candidate(operator_kubeconfig, "ahead", lambda: time.time() + 10 * YEAR) as ahead,
    ):
        await holder.elector.win()
        holding, waiting = asyncio.create_task(holder.elector.hold()), asyncio.create_task(ahead.elector.win())
        # By then more than a lease duration is over.
        await eventually_async(lambda: is_true(holder.writes > 1.5 * TERMS.lease_duration / TERMS.retry_period))

        assert (holder.fence.is_open, ahead.fence.is_open, holding.done(), waiting.done()) == (
            True,
            False,
            False,
            False,
        )

        holding.cancel()
        await eventually_async(lambda: is_true(waiting.done()))
        assert (holder.fence.is_open, ahead.fence.is_open) == (False, True)
        await ahead.elector.give_back()


async def is_true(value):
    return value
