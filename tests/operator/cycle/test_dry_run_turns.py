"""Whose members are checked by a dry run first, where many gangs wait."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import gang, node, priority_class, role
from fake_cluster.api import Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import is_placed, operator_over, set_phases, status_of
from fake_cluster.store import Place
from lockstep.api.client.client import KubeClient

pytestmark = pytest.mark.asyncio

# Shorter than an API server waits for a webhook.
SLOW_SECONDS = 20
REFUSED = Refusal(code=403, message="pods is forbidden: maximum cpu usage per Container is 1")


@asynccontextmanager
async def full_node(admit=lambda pod: pod):
    """An operator over one node, which gang cold fills; yields the API server and who was checked since, in order."""
    checked = []

    def noted(pod):
        if "nodeName" not in pod["spec"] and gang_of(pod) != ("default", "cold"):
            checked.append(gang_of(pod))
        return admit(pod)

    async with operator_over(node("n1", cpu="2")) as (api, _):
        api.store.create("priorityclasses", priority_class("urgent", 100))
        api.store.create("priorityclasses", priority_class("patient", 50, policy="Never"))
        api.store.create("gangjobs", gang("cold"))
        await until(lambda: is_placed(api, "cold"))
        set_phases(api, "cold", "Running")
        await until(lambda: status_of(api, "cold").get("startedAt"))
        api.admit = noted
        yield api, checked


def gang_of(pod):
    return pod["metadata"]["namespace"], pod["metadata"]["labels"]["lockstep.dev/gang"]


def make_slow(monkeypatch, *namespaces):
    at_once = KubeClient.dry_run

    async def dry_run(client, target, body, **more):
        if body["metadata"]["namespace"] in namespaces:
            await asyncio.sleep(SLOW_SECONDS)
        return await at_once(client, target, body, **more)

    monkeypatch.setattr(KubeClient, "dry_run", dry_run)


def submit(api, namespace, *names, **more):
    for name in names:
        manifest = gang(name, **more)
        manifest["metadata"]["namespace"] = namespace
        api.store.create("gangjobs", manifest)


def names(count):
    return [f"g{number:03}" for number in range(count)]


async def test_gang_that_may_evict_others_is_checked_before_all_that_wait_already():
    async with full_node() as (api, checked):
        submit(api, "many", *names(100))
        await until(lambda: len(checked) >= 20)

        before, asked_at = len(checked), now()
        submit(api, "default", "hot", spec={"priorityClassName": "urgent"})
        await until(lambda: is_placed(api, "hot"))

        place = checked.index(("default", "hot"))
        assert place - before < 8
        assert place < 100
        assert now() - asked_at < 5


async def test_more_urgent_gangs_are_checked_first_also_where_they_evict_no_other():
    async with full_node() as (api, checked):
        submit(api, "many", *names(100))
        submit(api, "default", "patient", spec={"priorityClassName": "patient"})

        await until(lambda: len(checked) == 101)

        assert checked.index(("default", "patient")) < 8


async def test_namespaces_have_their_turns():
    async with full_node() as (api, checked):
        submit(api, "many", *names(100))
        submit(api, "few", "one", "two", "three")

        await until(lambda: len(checked) == 103)

        assert max(checked.index(("few", name)) for name in ("one", "two", "three")) < 12


async def test_gangs_that_are_checked_again_and_others_do_not_wait_for_each_other():
    def admit(pod):
        return REFUSED if gang_of(pod)[0] == "refused" else pod

    async with full_node(admit) as (api, checked):
        submit(api, "refused", *names(60))
        await until(lambda: len(checked) > 65)

        before, began = len(checked), now()
        submit(api, "few", *names(40))
        await until(lambda: {("few", name) for name in names(40)} <= set(checked))
        seconds = now() - began

        again = [one for one in checked[before:] if one[0] == "refused"]
        assert 0 < len(again) <= 6 * seconds + 1
        assert seconds < 5


async def test_dry_runs_are_bounded_in_a_second_however_many_roles_gangs_have():
    async with full_node() as (api, checked):
        roles = [role(f"r{number}", cpu="1") for number in range(8)]
        began = now()
        submit(api, "many", *names(20), roles=roles)

        await until(lambda: len(checked) == 160)

        assert now() - began >= 159 / 50


async def test_slow_webhook_of_one_namespace_keeps_no_other_waiting(monkeypatch):
    make_slow(monkeypatch, "slow")
    async with full_node() as (api, checked):
        submit(api, "slow", *names(5))
        began = now()
        submit(api, "few", *names(10))

        await until(lambda: {("few", name) for name in names(10)} <= set(checked))

        assert now() - began < SLOW_SECONDS


async def test_urgent_gangs_that_are_refused_slowly_for_ever_leave_a_turn_to_less_urgent_ones(monkeypatch):
    make_slow(monkeypatch, "slow-1", "slow-2")
    async with full_node(lambda _: REFUSED) as (api, checked):
        for namespace in ("slow-1", "slow-2"):
            submit(api, namespace, *names(50), spec={"priorityClassName": "patient"})
        submit(api, "default", "low")
        await until(lambda: checked.count(("default", "low")) == 1, seconds=1500)
        await asyncio.sleep(3600)

        before = checked.count(("default", "low"))
        await until(lambda: checked.count(("default", "low")) > before, seconds=3600)


async def test_gang_that_waits_for_its_check_and_goes_is_not_checked():
    async with full_node() as (api, checked):
        submit(api, "many", *names(50))
        await until(lambda: len(checked) > 4)

        api.store.remove(Place("gangjobs", "many", "g049"))
        await until(lambda: len(checked) >= 49)
        await asyncio.sleep(5)

        assert ("many", "g049") not in checked
