"""A proxy answers requests about the lease with 404: the process neither takes the lease nor believes it deleted."""

import asyncio

import pytest

from fake_cluster.api import GET, PUT, FakeApi, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.pages import PAGES
from fake_cluster.rig import end
from fake_cluster.store import Place
from lockstep.api.client.client import KubeClient
from lockstep.api.client.fence import Fence
from lockstep.api.cluster.lease import LeaseHolder
from lockstep.process.election.elector import ElectionTerms, Elector, LeaseLostError

pytestmark = pytest.mark.asyncio

TERMS = ElectionTerms(namespace="ns", name="lockstep", lease_duration=15, renew_deadline=10, retry_period=2)
LEASE = Place("leases", "ns", "lockstep")
PAGE, CONFLICT = PAGES["page in HTML"], Refusal(code=409)


@pytest.fixture(autouse=True)
def _clock(monkeypatch):
    monkeypatch.setattr(Fence, "now", staticmethod(now))


class Leading:
    """An API server with a lease, and a process that leads."""

    async def __aenter__(self):
        self.api = await FakeApi(now).__aenter__()
        client = KubeClient(self.api.configuration, concurrency=1, observer=lambda *_: None)
        self.client, self.fence = await client.__aenter__(), Fence(open_until=0)
        self.elector = Elector(self.client, self.fence, TERMS, holder=LeaseHolder.of_instance("one"), now=now)
        await self.elector.win()
        self.holding = asyncio.create_task(self.elector.hold())
        return self

    async def __aexit__(self, *_):
        await end([self.holding])
        await self.client.__aexit__()
        await self.api.__aexit__()

    def requests_since(self, before):
        return len(self.api.requests) - before


def faults(**by_verb):
    """These faults, by the verb of the request."""
    return lambda request: by_verb.get(request.verb)


@pytest.mark.parametrize("fault", [{PUT: PAGE}, {GET: PAGE, PUT: PAGE}, {PUT: CONFLICT, GET: PAGE}])
async def test_leader_renews_again_after_pauses_and_leads_on(fault):
    async with Leading() as one:
        one.api.fault, before = faults(**fault), len(one.api.requests)
        await asyncio.sleep(8)
        assert one.requests_since(before) <= 8

        one.api.fault = lambda _: None
        await asyncio.sleep(20)
        assert one.fence.is_open
        assert not one.holding.done()


async def test_leader_that_can_not_renew_in_time_stops():
    async with Leading() as one:
        one.api.fault, before = faults(GET=PAGE, PUT=PAGE), len(one.api.requests)
        await until(one.holding.done)

        assert isinstance(one.holding.exception(), LeaseLostError)
        assert one.requests_since(before) <= 12


async def test_lease_that_can_not_be_given_back_is_left_alone():
    async with Leading() as one:
        await end([one.holding])
        one.api.fault, before = faults(PUT=CONFLICT, GET=PAGE), len(one.api.requests)
        await one.elector.give_back()

        assert one.requests_since(before) == 2


async def test_lease_of_another_process_is_not_taken_for_deleted():
    async with Leading() as one, KubeClient(one.api.configuration, concurrency=1, observer=lambda *_: None) as client:
        other = Elector(client, Fence(open_until=0), TERMS, holder=LeaseHolder.of_instance("two"), now=now)
        winning, renewals = asyncio.create_task(other.win()), one.api.store.get(LEASE)["metadata"]["resourceVersion"]
        one.api.fault = faults(GET=PAGE)
        await asyncio.sleep(100)

        assert not winning.done()
        assert one.api.store.get(LEASE)["metadata"]["resourceVersion"] != renewals
        await end([winning])
