"""What groups are charged for attempts, from their start to their end."""

import asyncio

import pytest

from builders.served import gang, node, priority_class
from coschedule import GangKey
from fake_cluster.jumping import now, until
from fake_cluster.rig import is_placed, operator_over, pod_place, pods_of, set_phases, status_of
from fake_cluster.store import Place
from lockstep.facts.fair_share import FairShare, NamedGroup

pytestmark = pytest.mark.asyncio

HOUR = 3600.0
NODE = node("n1", cpu="2")


def share(state):
    """Begin to keep accounts of two groups; the gangs here are all in ``others``."""
    groups = (NamedGroup("busy", 1, ("elsewhere",)), NamedGroup("others", 1, ()))
    state.shares.apply(FairShare(uid="uid", resource_version="1", groups=groups))
    state.shares.begin(None, now())


def used(state):
    """What the group of the gangs here has used, in seconds of all nodes."""
    state.shares.charge(now())
    return state.shares.used(now())["others"]


async def run_for_an_hour(api, name):
    api.store.create("gangjobs", gang(name))
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")
    await until(lambda: status_of(api, name).get("startedAt"))
    await asyncio.sleep(HOUR)


async def test_gang_that_succeeds_costs_what_it_held():
    async with operator_over(NODE) as (api, parts):
        share(parts.state)
        await run_for_an_hour(api, "cold")
        set_phases(api, "cold", "Succeeded")
        await until(lambda: status_of(api, "cold").get("finishedAt"))
        await until(lambda: not parts.state.reservations)

        assert used(parts.state) == pytest.approx(HOUR, rel=0.05)


async def test_gang_that_gives_way_to_an_urgent_one_of_another_group_costs_nothing():
    async with operator_over(NODE) as (api, parts):
        api.store.create("priorityclasses", priority_class("urgent", 100))
        share(parts.state)
        await run_for_an_hour(api, "cold")
        assert used(parts.state) > 0.9 * HOUR

        hot = gang("hot", spec={"priorityClassName": "urgent"})
        hot["metadata"]["namespace"] = "elsewhere"
        api.store.create("gangjobs", hot)
        await until(lambda: GangKey("elsewhere", "hot") in parts.state.reservations)

        assert used(parts.state) < 0.1 * HOUR
        assert parts.state.shares.accounts.gave_back


async def test_gang_that_loses_its_node_costs_nothing_and_is_charged_anew_from_its_next_start():
    async with operator_over(NODE) as (api, parts):
        share(parts.state)
        await run_for_an_hour(api, "cold")
        assert used(parts.state) > 0.9 * HOUR
        for pod in pods_of(api, "cold"):
            api.store.remove(pod_place(pod["metadata"]["name"]))
        api.store.remove(Place("nodes", "", "n1"))
        await until(lambda: status_of(api, "cold").get("reservedAt") is None)
        assert used(parts.state) < 0.1 * HOUR
        assert parts.state.shares.accounts.gave_back

        api.store.add("nodes", node("n2", cpu="2"))
        await until(lambda: is_placed(api, "cold"))
        await asyncio.sleep(HOUR)
        assert used(parts.state) == pytest.approx(HOUR, rel=0.1)


async def test_gang_whose_member_is_deleted_by_its_user_is_charged():
    async with operator_over(NODE) as (api, parts):
        share(parts.state)
        await run_for_an_hour(api, "cold")
        [first, *_] = pods_of(api, "cold")
        api.store.remove(pod_place(first["metadata"]["name"]))
        await until(lambda: status_of(api, "cold").get("attempt") == 2)

        assert used(parts.state) > 0.9 * HOUR
