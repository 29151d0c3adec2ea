"""Pods that no gang stands for are swept; those whose gang a watch has only not shown yet are kept."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from builders.facts import gang_fact, member_fact, take_changed
from builders.served import gang, owned_by, pod
from coschedule import GangKey
from fake_cluster.api import Refusal
from fake_cluster.clients import api_and_client
from fake_cluster.jumping import now, until
from fake_cluster.store import Place
from lockstep.act.members.sweep import Sweeper
from lockstep.act.requests.deletions import Deletions
from lockstep.belief.state import State
from lockstep.facts.pods.pod import Membership

pytestmark = pytest.mark.asyncio

KEY = GangKey("default", "g")


class Sweeping:
    """A sweeper, the API server it sweeps, and its cache: two members of a gang that it does not know."""

    def __init__(self, api, client):
        self.api = api
        self.state = State(lambda: None)
        for rank in (0, 1):
            created = api.store.add("pods", pod(f"g-1-{rank}", **owned_by("g", rank=rank)))
            self.state.apply_pod(member_fact("g", rank=rank, uid=created["metadata"]["uid"]))
        take_changed(self.state)
        self.sweeper = Sweeper(client, self.state, Deletions(client, monotonic=now, now=now))

    @property
    def left(self):
        return len(self.api.store.objects("pods"))

    def deletions(self):
        return sum(request.verb == "DELETE" for request in self.api.requests)


@asynccontextmanager
async def left_over(*gangs):
    async with api_and_client() as (api, client):
        for one in gangs:
            api.store.create("gangjobs", one)
        sweeping = Sweeping(api, client)
        yield sweeping
        await sweeping.sweeper.stop()


@pytest.mark.parametrize(
    ("gangs", "want_left"),
    [
        pytest.param([], 0, id="the gang is gone"),
        pytest.param([gang("g", uid="successor")], 0, id="another gang has its name"),
        pytest.param([gang("g", deletionTimestamp="2027-01-15T08:00:00Z")], 0, id="the gang is being deleted"),
        pytest.param([gang("g")], 2, id="the gang is there"),
        pytest.param([gang("other")], 0, id="only others are there"),
    ],
)
async def test_orphans(gangs, want_left):
    async with left_over(*gangs) as sweeping:
        sweeping.sweeper.sweep({KEY})
        await asyncio.sleep(1)

        assert sweeping.left == want_left


async def test_gang_that_is_deleted_before_a_watch_shows_it_leaves_no_pods():
    async with left_over(gang("g")) as sweeping:
        sweeping.sweeper.sweep({KEY})
        await asyncio.sleep(100)
        assert sweeping.left == 2
        # After 0, 1, 3 and 7 seconds, then every 8 seconds.
        assert len(sweeping.api.requests) <= 4 + 100 / 8

        sweeping.api.store.remove(Place("gangjobs", "default", "g"))
        await until(lambda: not sweeping.left, seconds=9)


async def test_pods_of_the_later_of_two_gangs_are_not_forgotten_for_those_of_the_earlier():
    async with left_over(gang("g")) as sweeping:
        created = sweeping.api.store.add("pods", pod("g-1-2", **owned_by("g", rank=2)))
        later = member_fact("g", rank=2, uid=created["metadata"]["uid"])
        earlier = Membership(KEY, "uid-of-an-earlier-g", attempt=1, rank=2)
        sweeping.state.apply_pod(replace(later, member=earlier))
        take_changed(sweeping.state)
        sweeping.sweeper.sweep({KEY})
        await until(lambda: sweeping.state.changes.gangs == {KEY}, seconds=5)

        assert sweeping.left == 2


async def test_gang_that_exists_is_not_requested_again_once_a_watch_has_shown_it():
    async with left_over(gang("g")) as sweeping:
        sweeping.sweeper.sweep({KEY})
        await until(lambda: sweeping.api.requests)
        sweeping.state.apply_gang(gang_fact("g"))
        requests = len(sweeping.api.requests)
        await asyncio.sleep(100)

        assert len(sweeping.api.requests) == requests


@pytest.mark.parametrize(
    "fault", [pytest.param(Refusal(code=500), id="outage"), pytest.param(Refusal(code=403), id="forbidden")]
)
async def test_nothing_is_deleted_where_the_api_server_does_not_say_and_it_is_asked_again(fault):
    async with left_over() as sweeping:
        sweeping.api.fault = lambda request: fault if request.resource == "gangjobs" else None
        sweeping.sweeper.sweep({KEY})
        await asyncio.sleep(60)

        assert sweeping.left == 2
        assert sweeping.state.changes.gangs == {KEY}


async def test_pods_are_deleted_once_however_often_they_are_swept():
    async with left_over() as sweeping:
        # No watch shows that they go.
        for _ in range(100):
            sweeping.sweeper.sweep({KEY})
            await asyncio.sleep(0.1)

        assert (sweeping.deletions(), sweeping.left) == (2, 0)
        await asyncio.sleep(60)
        sweeping.sweeper.sweep({KEY})
        await asyncio.sleep(1)
        assert sweeping.deletions() == 4


async def test_pods_that_come_back_are_read_when_their_deletion_shows_no_effect():
    async with left_over() as sweeping:
        cached = list(sweeping.state.pods.values())
        sweeping.sweeper.sweep({KEY})
        await until(lambda: not sweeping.left)
        for pod in cached:
            sweeping.state.remove_pod(pod.key, pod.uid)
        # etcd is restored from a backup.
        for pod in cached:
            sweeping.state.apply_pod(pod)
        sweeping.sweeper.sweep(take_changed(sweeping.state))

        await until(lambda: sweeping.state.changes.gangs == {KEY}, seconds=61)
        sweeping.sweeper.sweep({KEY})
        await until(lambda: sweeping.deletions() == 4)


async def test_pods_that_may_not_be_deleted_are_asked_for_again_with_growing_pauses():
    async with left_over() as sweeping:
        sweeping.api.fault = lambda request: Refusal(code=403) if request.verb == "DELETE" else None
        for _ in range(600):
            sweeping.sweeper.delete(KEY, sweeping.state.pods.values())
            await asyncio.sleep(0.1)
        # After 1, 3, 7, 15 and 31 seconds.
        assert sweeping.deletions() == 2 * 6
        assert KEY in sweeping.state.changes.gangs

        sweeping.api.fault = lambda _: None
        await asyncio.sleep(60)
        sweeping.sweeper.delete(KEY, sweeping.state.pods.values())
        await asyncio.sleep(1)
        assert sweeping.left == 0


async def test_pod_that_may_not_be_deleted_keeps_no_other():
    async with left_over() as sweeping:
        sweeping.api.fault = lambda request: Refusal(code=403) if request[::2] == ("DELETE", "g-1-0") else None
        sweeping.sweeper.delete(KEY, sweeping.state.pods.values())
        await asyncio.sleep(1)

        assert [it["metadata"]["name"] for it in sweeping.api.store.objects("pods")] == ["g-1-0"]


async def test_answer_that_is_no_gang_is_asked_for_again():
    async with left_over() as sweeping:
        answers = [Refusal(code=200, message="hello")]
        sweeping.api.fault = lambda request: answers.pop() if request.resource == "gangjobs" and answers else None
        sweeping.sweeper.sweep({KEY})
        await until(lambda: not answers and sweeping.state.changes.gangs == {KEY})
        sweeping.sweeper.sweep({KEY})
        await until(lambda: not sweeping.left)
