"""Records are handed over in few ConfigMaps, and wait here while the API server or the recorder does not take them."""

from collections import deque

import pytest
import pytest_asyncio

from builders.facts import gang_fact
from fake_cluster.api import ANSWER_LOST, NEVER_ARRIVED, POST, Refusal
from fake_cluster.clients import api_and_client
from fake_cluster.store import Place
from lockstep.api.client.client import KubeClient
from lockstep.api.client.fence import Fence
from lockstep.api.records import record_maps
from lockstep.api.records.record_maps import SLOTS, parse_records, records_map_name
from lockstep.belief.state import State
from lockstep.process.election.elector import ElectionTerms
from lockstep.process.stores import record_store
from lockstep.process.stores.record_store import RecordStore

pytestmark = pytest.mark.asyncio

TERMS = ElectionTerms(namespace="lockstep-system", name="lease", lease_duration=15, renew_deadline=10, retry_period=2)


class Killed(BaseException):
    """The process is killed here."""


class Process:
    """A process that leads, with what it has handed over."""

    def __init__(self, api, client, fence, *gangs):
        self.api, self.client, self.fence = api, client, fence
        self.state = State(lambda: None)
        for gang in gangs:
            self.state.apply_gang(gang)
        self.store = RecordStore(client, fence, self.state, TERMS, has_users=False)
        self.store.begin()

    async def hand_over(self, *names):
        for name in names:
            self.state.apply_gang(gang_fact(name))
        await self.store.hand_over()

    def followed(self):
        """The next process: all that it knows is in the API."""
        return Process(self.api, self.client, self.fence, *self.state.gangs.values())

    def handed_over(self):
        return [[one.name for one in parse_records(it).records] for it in self.api.store.objects("configmaps")]

    def take_away(self, slot):
        self.api.store.remove(Place("configmaps", TERMS.namespace, records_map_name(TERMS.name, slot)))


@pytest_asyncio.fixture
async def process():
    fence = Fence(open_until=float("inf"))
    async with api_and_client(fence=fence) as (api, client):
        yield Process(api, client, fence)


async def test_many_gangs_are_handed_over_in_one_write(process):
    await process.hand_over("a", "b", "c")
    await process.hand_over()

    assert process.handed_over() == [["a", "b", "c"]]
    assert [(one.verb, one.resource) for one in process.api.requests] == [(POST, "configmaps")]


async def test_one_write_has_no_more_than_its_bound(process, monkeypatch):
    monkeypatch.setattr(record_store, "MOST_BYTES", 1)

    await process.hand_over("a", "b")

    assert process.handed_over() == [["a"]]
    assert len(process.state.records) == 1


async def test_records_wait_while_all_slots_are_taken_and_go_on_when_one_is_free(process):
    for number in range(SLOTS):
        await process.hand_over(f"gang-{number}")
    for _ in range(SLOTS):
        await process.hand_over("late")
    assert len(process.state.records) == 1
    process.take_away(5)

    for _ in range(SLOTS):
        await process.hand_over()

    assert ["late"] in process.handed_over()
    assert len(process.state.records) == 0


@pytest.mark.parametrize("fault", [Refusal(code=403), Refusal(code=422), NEVER_ARRIVED, ANSWER_LOST], ids=str)
async def test_nothing_is_lost_when_a_write_fails(process, fault, monkeypatch):
    monkeypatch.setattr("lockstep.api.client.client._TRIES", 1)
    process.api.fault = lambda _: fault
    await process.hand_over("a")
    process.api.fault = lambda _: None

    await process.hand_over()
    await process.hand_over()

    assert ["a"] in process.handed_over()
    assert len(process.state.records) == 0


@pytest.mark.parametrize("is_done", [False, True], ids=["before the write", "after it"])
async def test_process_that_is_killed_at_a_write_leaves_all_to_the_next_one(process, is_done, monkeypatch):
    create = KubeClient.create

    async def killed(*args):
        if is_done:
            await create(*args)
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(KubeClient, "create", killed)
        with pytest.raises(Killed):
            await process.hand_over("a", "b")

    following = process.followed()
    deque(following.state.records.catching_up(following.state.gangs))
    for _ in range(2):
        await following.hand_over()

    assert following.handed_over() == [["b", "a"]] if not is_done else [["a", "b"], ["b", "a"]]


async def test_nothing_is_written_by_a_process_that_may_lead_no_longer(process):
    process.fence.close()

    await process.hand_over("a")

    assert process.api.requests == []
    assert len(process.state.records) == 1


async def test_all_slots_together_are_small_beside_what_etcd_holds():
    assert SLOTS * record_maps.MOST_BYTES <= 4 * 2**20
