"""Dealers that are slow on purpose: their own namespace pays for them, and no other one waits."""

import asyncio
from collections import Counter
from itertools import pairwise

import pytest

from builders.served import node
from fake_cluster.dealt import PIECES, dealt_gang
from fake_cluster.jumping import now, until
from fake_cluster.rig import operator_over
from fake_cluster.store import Place
from lockstep.act.dealing import namespace_turns
from lockstep.act.dealing.dealer_reads import DealerReads
from lockstep.facts.piece_states import packed

pytestmark = pytest.mark.asyncio

SECONDS = 600
ANSWER = packed(bytes(PIECES))


class SlowDealers:
    """Dealers that answer rightly, some of them as late as they may; ``asked`` has when each was asked, by its URL."""

    def __init__(self, slow):
        self.slow, self.asked = slow, []

    async def states(self, url, key, **_):
        self.asked.append((url, now()))
        await asyncio.sleep(2.9 if self.slow(url) else 0.01)
        return ANSWER

    def times(self, url):
        return [at for one, at in self.asked if one == url]


def url_of(number):
    return f"http://10.0.0.{number}:7711/states"


async def run_gangs(api, places):
    """A gang of one member in each of these namespaces, whose dealer has an address of that number."""
    for number, namespace in enumerate(places, 1):
        manifest = dealt_gang(f"g{number}", size={"min": 1, "max": 1})
        api.store.create("gangjobs", {**manifest, "metadata": {**manifest["metadata"], "namespace": namespace}})
    await until(lambda: sum("nodeName" in one["spec"] for one in api.store.objects("pods")) == len(places))
    for number, namespace in enumerate(places, 1):
        status = {"phase": "Running", "podIP": f"10.0.0.{number}"}
        api.store.change(Place("pods", namespace, f"g{number}-1-0"), status=status)


async def read_for(parts, dealers, seconds=SECONDS):
    await parts.quiet()
    reading = asyncio.create_task(DealerReads(parts.services).keep_read_by(dealers))
    await asyncio.sleep(seconds)
    reading.cancel()
    await asyncio.wait([reading])


async def test_other_namespaces_are_read_in_every_round_however_many_are_slow():
    slow = [f"slow-{number}" for number in range(1, 25)]
    async with operator_over(node("n", cpu="100")) as (api, parts):
        await run_gangs(api, [*slow, "honest"])
        dealers, honest = SlowDealers(lambda url: url != url_of(25)), url_of(25)
        await read_for(parts, dealers)

    asked = Counter(url for url, _ in dealers.asked)
    assert asked[honest] >= SECONDS / 3 - 1
    for number in range(1, 25):
        assert 2.9 * asked[url_of(number)] <= SECONDS / 5 + 3, "its connection is free for four fifths of the time"


async def test_namespaces_that_are_slow_leave_connections_to_others(monkeypatch):
    monkeypatch.setattr(namespace_turns, "_MOST_TURNS", 2)
    async with operator_over(node("n", cpu="100")) as (api, parts):
        await run_gangs(api, ["slow-1", "slow-2", "slow-3", "honest"])
        dealers = SlowDealers(lambda url: url != url_of(4))
        await read_for(parts, dealers)

    times = dealers.times(url_of(4))
    assert len(times) > SECONDS / 10
    assert max(later - earlier for earlier, later in pairwise(times)) < 15


async def test_slow_dealer_delays_the_others_of_its_namespace_only_so_long():
    async with operator_over(node("n", cpu="100")) as (api, parts):
        await run_gangs(api, ["one", "one", "one"])
        dealers = SlowDealers(lambda url: url == url_of(1))
        await read_for(parts, dealers)

    asked = Counter(url for url, _ in dealers.asked)
    assert min(asked.values()) >= SECONDS / 25, "each has its turn, those first that waited for longest"


async def test_no_dealer_is_asked_once_reading_has_ended():
    async with operator_over(node("n", cpu="100")) as (api, parts):
        await run_gangs(api, ["slow", "other"])
        dealers = SlowDealers(lambda url: url == url_of(1))
        await read_for(parts, dealers, seconds=1)
        before = len(dealers.asked)
        await asyncio.sleep(60)

        assert (before, len(dealers.asked)) == (2, 2)
