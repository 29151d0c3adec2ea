"""What changes between the decision to evict others and its execution: no gang is evicted on an old yes."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import budget, gang, metadata, node, priority_class, role
from fake_cluster.api import Refusal
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    condition,
    gang_place,
    is_placed,
    operator_over,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)
from fake_cluster.store import Place
from lockstep.api.client.client import KubeClient
from lockstep.api.names import ROLE_LABEL
from lockstep.cycle.evictions import Evictions
from lockstep.cycle.planning.planning import PlanOptions

pytestmark = pytest.mark.asyncio

NODES = (node("n1", cpu="2"),)
# Longer than the check may take, shorter than an API server waits for a webhook.
TOO_LONG_SECONDS = 20
# Shorter than the check may take.
SLOW_SECONDS = 9
PLAN_SECONDS = 60
FOR_NOW = Refusal(code=403, message="exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2")
FOR_GOOD = Refusal(code=422, message="must be less than or equal to cpu limit of 1")


def hot(name="hot"):
    """Describe a gang that needs the whole node, and may evict others."""
    return gang(name, spec={"priorityClassName": "urgent"})


@pytest.fixture
def asked_again(monkeypatch):
    """Lets something happen while the members of gang hot are checked once more, and time pass until the cache has it.

    Returns an object: ``happens`` is called, ``seconds`` pass; ``count`` says how often members of hot were checked.
    ``fresh`` is the number of the first of them that is checked once more.
    """
    plain = KubeClient.dry_run

    class Again:
        count = 0
        fresh = 2
        seconds = 1.0

        @staticmethod
        def happens():
            pass

    async def dry_run(client, target, body, **more):
        is_about_hot = body["metadata"]["name"].startswith("hot-")
        Again.count += is_about_hot
        if is_about_hot and Again.count == Again.fresh:
            Again.happens()
            await asyncio.sleep(Again.seconds)
        return await plain(client, target, body, **more)

    monkeypatch.setattr(KubeClient, "dry_run", dry_run)
    return Again


async def run_cold(api):
    """Place gang cold, which fills the node."""
    api.store.create("priorityclasses", priority_class("urgent", 100))
    await run(api, gang("cold"))


async def run(api, manifest):
    """Place a gang, and have its members run."""
    name = manifest["metadata"]["name"]
    api.store.create("gangjobs", manifest)
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")
    await until(lambda: status_of(api, name).get("startedAt"))


@asynccontextmanager
async def hot_asked_about(asked_again, happens, plans=None):
    """An operator that has asked once more whether hot is admitted; ``happens`` was called meanwhile."""
    async with operator_over(*NODES, plans=plans) as (api, parts):
        await run_cold(api)
        asked_again.happens = lambda: happens(api)
        api.store.create("gangjobs", hot())
        await until(lambda: asked_again.count >= 2)
        yield api, parts


def change_spec(api, name="hot", **spec):
    generation = api.store.get(gang_place(name))["metadata"]["generation"]
    api.store.change(gang_place(name), metadata={"generation": generation + 1}, spec=spec)


def refuse_for_now(api):
    refuse(api, FOR_NOW)


def refuse_for_good(api):
    refuse(api, FOR_GOOD)


def refuse(api, refusal):
    api.admit = lambda pod: refusal if pod["metadata"]["name"].startswith("hot-") else pod


def refuse_second_role(api):
    api.admit = lambda pod: FOR_GOOD if pod["metadata"]["labels"].get(ROLE_LABEL) == "second" else pod


def suspend(api):
    change_spec(api, suspend=True)


def let_be_unurgent(api):
    change_spec(api, priorityClassName="")


def delete(api):
    api.store.remove(gang_place("hot"))


def delete_class(api):
    api.store.remove(Place("priorityclasses", "", "urgent"))


def never_preempt(api):
    delete_class(api)
    api.store.create("priorityclasses", priority_class("urgent", 100, policy="Never"))


def limit(api):
    hard, used = {"pods": "3"}, {"pods": "2"}
    quota = {"metadata": metadata("small", namespace="default"), "spec": {"hard": hard}}
    api.store.create("resourcequotas", {**quota, "status": {"hard": hard, "used": used}})


def cordon(api):
    api.store.change(Place("nodes", "", "n1"), spec={"unschedulable": True})


def protect_cold(api):
    selector = {"matchLabels": {"lockstep.dev/gang": "cold"}}
    api.store.create("poddisruptionbudgets", budget(allowed=0, selector=selector))


def let_cold_be_urgent(api):
    change_spec(api, "cold", priorityClassName="urgent")


def ask_otherwise(api):
    change_spec(api, size={"min": 1, "max": 1})


CHANGES = [
    refuse_for_now,
    refuse_for_good,
    suspend,
    let_be_unurgent,
    delete,
    delete_class,
    never_preempt,
    limit,
    cordon,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
async def test_gang_stays_where_something_speaks_against_it_by_now(asked_again, change):
    async with hot_asked_about(asked_again, change) as (api, parts):
        await asyncio.sleep(30)

        assert_stays(api, parts)


@pytest.mark.parametrize(
    "change", [*CHANGES, protect_cold, let_cold_be_urgent, ask_otherwise], ids=lambda change: change.__name__
)
async def test_gang_stays_before_the_next_plan_knows_what_has_changed(asked_again, change):
    async def slowly_once_asked(work):
        if asked_again.count >= asked_again.fresh:
            await asyncio.sleep(PLAN_SECONDS)
        return work()

    async with hot_asked_about(asked_again, change, PlanOptions(run=slowly_once_asked)) as (api, parts):
        await asyncio.sleep(PLAN_SECONDS / 2)

        assert_stays(api, parts)


def assert_stays(api, parts):
    assert is_placed(api, "cold")
    assert condition(api, "cold", "Preempted") is None
    assert parts.metric("lockstep_gangs_preempted_total") == 0
    assert not [one for pod in pods_of(api, "cold") for one in pod["status"].get("conditions", ())]


async def test_gang_stays_where_only_the_second_role_of_the_other_is_refused_by_now(asked_again):
    roles = [role("first", cpu="1"), role("second", cpu="1")]
    async with operator_over(*NODES) as (api, parts):
        await run_cold(api)
        # The first check asks about both roles. Then the fresh one begins with a role that stays admitted.
        asked_again.fresh = 3
        asked_again.happens = lambda: refuse_second_role(api)

        api.store.create("gangjobs", gang("hot", roles=roles, spec={"priorityClassName": "urgent"}))
        await until(lambda: condition(api, "hot", "Accepted") == ("False", "TemplateRefused"))

        assert asked_again.count == 4
        assert_stays(api, parts)


async def test_refusal_of_the_fresh_check_is_said(asked_again):
    async with hot_asked_about(asked_again, refuse_for_good) as (api, _):
        await until(lambda: condition(api, "hot", "Accepted") == ("False", "TemplateRefused"))


async def test_victim_that_has_ended_meanwhile_is_not_evicted(asked_again):
    async with hot_asked_about(asked_again, lambda api: set_phases(api, "cold", "Succeeded")) as (api, parts):
        await until(lambda: is_placed(api, "hot"))

        assert condition(api, "cold", "Complete") == ("True", "Succeeded")
        assert parts.metric("lockstep_gangs_preempted_total") == 0


async def test_victim_that_is_deleted_meanwhile_makes_way_as_it_is(asked_again):
    async with hot_asked_about(asked_again, lambda api: api.store.remove(gang_place("cold"))) as (api, parts):
        await until(lambda: is_placed(api, "hot"))

        assert parts.metric("lockstep_gangs_preempted_total") == 0


async def test_api_server_that_does_not_answer_in_time_has_not_said_yes(asked_again):
    asked_again.seconds = TOO_LONG_SECONDS
    async with hot_asked_about(asked_again, lambda _: None) as (api, parts):
        await asyncio.sleep(TOO_LONG_SECONDS / 2 + 2)
        assert_stays(api, parts)

        await until(lambda: is_placed(api, "hot"))

        assert parts.metric("lockstep_gangs_preempted_total") == 1


async def test_gang_is_asked_about_once_at_a_time_however_often_it_is_planned_meanwhile(asked_again):
    asked_again.seconds = 9
    async with hot_asked_about(asked_again, lambda _: None) as (api, _):
        for number in range(8):
            api.store.create("nodes", node(f"small-{number}", cpu="100m"))
            await asyncio.sleep(1)
        assert asked_again.count == 2

        await until(lambda: is_placed(api, "hot"))

        assert asked_again.count == 2


async def test_others_are_placed_while_a_gang_is_asked_about(asked_again):
    asked_again.seconds = 9
    async with hot_asked_about(asked_again, lambda _: None) as (api, _):
        api.store.create("nodes", node("small", cpu="100m"))
        api.store.create("gangjobs", gang("little", size=1, cpu="100m"))

        await until(lambda: is_placed(api, "little"), seconds=5)


async def test_slow_webhook_of_one_namespace_delays_no_eviction_for_another(monkeypatch):
    asked, at_once = [], KubeClient.dry_run

    async def dry_run(client, target, body, **more):
        asked.append(body["metadata"]["namespace"])
        if asked[-1] == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        return await at_once(client, target, body, **more)

    async with operator_over(*NODES, node("n2", cpu="2")) as (api, _):
        await run_cold(api)
        await run(api, gang("cool"))
        monkeypatch.setattr(KubeClient, "dry_run", dry_run)
        slow = hot("slow")
        slow["metadata"]["namespace"] = "slow"
        api.store.create("gangjobs", slow)
        await until(lambda: asked.count("slow") >= 2)

        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"), seconds=SLOW_SECONDS / 2)


async def test_budget_that_appears_meanwhile_has_another_gang_give_way(asked_again):
    async with operator_over(*NODES, node("n2", cpu="3")) as (api, parts):
        await run_cold(api)
        await run(api, gang("dearer", size=3))
        await asyncio.sleep(100)
        asked_again.happens = lambda: protect_cold(api)

        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))

        assert is_placed(api, "cold")
        assert condition(api, "dearer", "Preempted") == ("True", "Preempted")
        assert parts.metric("lockstep_gangs_preempted_total") == 1


async def test_room_that_becomes_free_meanwhile_is_taken_instead(asked_again):
    asked_again.seconds = 9
    async with hot_asked_about(asked_again, lambda api: api.store.create("nodes", node("n2", cpu="2"))) as (api, parts):
        await until(lambda: is_placed(api, "hot"))

        assert_stays(api, parts)


async def test_leader_that_goes_meanwhile_evicts_no_gang_and_the_next_one_asks_anew(asked_again):
    asked_again.seconds = 9
    async with api_with(*NODES) as api:
        async with running_operator(api) as parts:
            await run_cold(api)
            api.store.create("gangjobs", hot())
            await until(lambda: asked_again.count == 2)
        assert_stays(api, parts)

        async with running_operator(api):
            await until(lambda: is_placed(api, "hot"))

        assert asked_again.count == 4


async def test_eviction_that_is_refused_for_what_no_plan_knows_is_decided_again_with_pauses(monkeypatch):
    async with operator_over(*NODES) as (api, parts):
        await run_cold(api)
        with monkeypatch.context() as patched:
            patched.setattr(Evictions, "_stands", lambda *_: False)
            plans = parts.metric("lockstep_cycles_total", result="ok")
            api.store.create("gangjobs", hot())
            await asyncio.sleep(60)
            made = parts.metric("lockstep_cycles_total", result="ok") - plans
        # Few of them are for changes; the others come after 0, 1, 3, 7, 15 and 31 seconds.
        assert 6 <= made <= 12

        await until(lambda: is_placed(api, "hot"), seconds=61)
