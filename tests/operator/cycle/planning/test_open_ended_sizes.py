"""Elastic gangs whose end is unknown: they grow into idle nodes, and give them back to gangs that wait."""

import asyncio
from itertools import pairwise

import pytest

from builders.served import gang, node, priority_class
from coschedule import resize
from fake_cluster.elastic import (
    FOUR,
    ask_for,
    beside_a_blocker,
    elastic,
    free_the_room,
    note_of,
    rigid,
    run,
    until_attempt,
    want_it_by,
)
from fake_cluster.jumping import until
from fake_cluster.rig import INLINE, bound, condition, is_placed, operator_over, pods_of, set_phases, status_of
from lockstep.cycle.planning import plan_thread
from lockstep.cycle.planning.planning import PlanOptions

pytestmark = pytest.mark.asyncio

HOUR = 3600.0


def with_port(number):
    """Describe a pod that takes a host port of its own."""
    ports = [{"containerPort": 80, "hostPort": 10_000 + number}]
    return {
        "containers": [{"name": "main", "image": "work:1", "resources": {"requests": {"cpu": "1"}}, "ports": ports}]
    }


IN_ZONES = tuple(node(f"n{number}", cpu="1", labels={"zone": zone}) for number, zone in enumerate("abab"))


async def assert_keeps_its_size_in_free_room(api):
    free_the_room(api)
    await asyncio.sleep(HOUR)
    assert (status_of(api)["size"], status_of(api)["attempt"]) == (2, 1)


async def grown(api, **spec):
    """Run a gang without work on two nodes, then on all four."""
    await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
    await run(api, elastic(work=None, **spec))
    free_the_room(api)
    await until_attempt(api, 2)
    set_phases(api, "g", "Running")
    await until(lambda: status_of(api).get("startedAt"))
    assert (status_of(api)["size"], status_of(api)["firstSize"]) == (4, 2)


async def grown_in_vain(api):
    """Run a gang that could give up a node in each of two zones, beside one that waits for two in one zone."""
    await grown(api)
    await asyncio.sleep(HOUR)
    api.store.create("gangjobs", rigid("together", size=2, placement={"allIn": "zone"}))
    await until(lambda: condition(api, "together", "Planned"))


async def test_gang_without_work_grows_into_idle_nodes():
    async with operator_over(*FOUR) as (api, parts):
        await beside_a_blocker(api, work=None)

        free_the_room(api)
        await until_attempt(api, 2)

        status = status_of(api)
        assert (status["size"], status["firstSize"], "expectedFinish" in status, "next" in status) == (
            4,
            2,
            False,
            False,
        )
        assert sorted(bound(pods_of(api, "g"))) == ["n1", "n2", "n3", "n4"]
        assert parts.metric("lockstep_size_changes_total", direction="grow") == 1
        assert note_of(api, "GangChangesSize").startswith(
            "Grows from 2 to 4 members: nodes are idle and no gang waits for them; its end is unknown; "
            "the change takes about 2 min."
        )


@pytest.mark.parametrize("count", [3, 20])
async def test_gangs_that_fit_nowhere_keep_none_from_growing_however_many_wait(count):
    plans = PlanOptions(run=INLINE.run, most_in_front=8)
    async with operator_over(*FOUR, plans=plans) as (api, _):
        await beside_a_blocker(api, work=None)
        api.store.add("gangjobs", *(gang(f"large{number:02}", size=1, cpu="99") for number in range(count)))
        free_the_room(api)
        await until_attempt(api, 2)


async def test_gangs_with_host_ports_that_fit_nowhere_keep_none_from_growing():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api, work=None)
        api.store.add("gangjobs", *(gang(f"port{one:03}", size=5, pod_spec=with_port(one)) for one in range(530)))
        free_the_room(api)
        await until_attempt(api, 2)


@pytest.mark.parametrize("later", [0, 60])
async def test_gangs_that_one_plan_can_not_read_have_their_turn_though_nothing_changes(later, monkeypatch):
    monkeypatch.setattr("lockstep.snapshot.holders.elastic_runs.MOST_MEMBERS", 8)
    async with operator_over(*FOUR, node("n5", cpu="1")) as (api, _):
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        await run(api, elastic("other", work=None, most=1), "other")
        await run(api, elastic(work=None))
        await asyncio.sleep(HOUR + later)
        free_the_room(api)
        await until_attempt(api, 2)


async def test_gang_gives_back_what_one_that_waits_needs_once_its_interval_is_over():
    async with operator_over(*FOUR) as (api, parts):
        await grown(api)

        api.store.create("gangjobs", rigid("waits", size=1))
        await asyncio.sleep(300)
        assert not is_placed(api, "waits")

        await until(lambda: is_placed(api, "waits"))
        assert (status_of(api)["size"], status_of(api)["firstSize"], status_of(api)["attempt"]) == (3, 2, 3)
        assert parts.metric("lockstep_size_changes_total", direction="shrink") == 1
        assert "Shrinks from 4 to 3 members: default/waits waits, and starts on the nodes that become free" in "".join(
            one["note"] for one in api.store.objects("events")
        )


@pytest.mark.parametrize(("size", "want"), [(2, 2), (3, 4)])
async def test_gang_gives_back_no_more_than_it_grew_by(size, want):
    async with operator_over(*FOUR) as (api, _):
        await grown(api)

        api.store.create("gangjobs", rigid("waits", size=size))
        await asyncio.sleep(2 * HOUR)

        assert (status_of(api)["size"], is_placed(api, "waits")) == (want, size == 2)


async def test_plans_that_did_not_help_are_not_made_again_with_each_event(monkeypatch):
    """One tenant's gangs would make each plan several times dearer."""
    chosen = []

    def counted(*args, may_give, **options):
        found = resize(*args, may_give=may_give, **options)
        chosen.append((loop.time(), found.in_vain))
        return found

    monkeypatch.setattr(plan_thread, "resize", counted)
    loop = asyncio.get_running_loop()
    async with operator_over(*IN_ZONES) as (api, _):
        await grown_in_vain(api)
        chosen.clear()

        for number in range(60):
            api.store.create("gangjobs", rigid(f"large-{number}", size=9))
            await asyncio.sleep(1)

        assert len(chosen) > 50
        in_vain = [time for time, is_vain in chosen if is_vain]
        assert 3 <= len(in_vain) <= 7
        assert min(later - time for time, later in pairwise(in_vain)) >= 10


async def test_gang_that_comes_after_plans_that_did_not_help_gets_room_soon():
    async with operator_over(*IN_ZONES) as (api, _):
        await grown_in_vain(api)

        api.store.create("gangjobs", rigid("waits", size=1))
        await asyncio.sleep(60)

        assert is_placed(api, "waits")


async def test_gang_gives_nothing_to_a_less_urgent_one():
    async with operator_over(*FOUR) as (api, _):
        await grown(api)
        api.store.create("priorityclasses", priority_class("low", -100))

        api.store.create("gangjobs", rigid("waits", size=1, priorityClassName="low"))
        await asyncio.sleep(2 * HOUR)

        assert (status_of(api)["size"], is_placed(api, "waits")) == (4, False)


async def test_gang_grows_again_when_the_one_that_waited_has_ended():
    async with operator_over(*FOUR) as (api, _):
        await grown(api)
        await asyncio.sleep(300)
        await run(api, rigid("waits", size=2), "waits")
        assert status_of(api)["size"] == 2
        set_phases(api, "g", "Running")

        set_phases(api, "waits", "Succeeded")
        await asyncio.sleep(300)
        await until_attempt(api, 4)

        assert status_of(api)["size"] == 4


async def test_gang_does_not_grow_into_nodes_that_one_waits_for():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api, work=None)
        api.store.create("gangjobs", rigid("waits", size=3))
        await until(lambda: condition(api, "waits", "Planned"))

        await assert_keeps_its_size_in_free_room(api)


async def test_gang_does_not_grow_while_one_of_its_namespace_waits_for_a_quota():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api, work=None)
        hard, metadata = {"pods": "8"}, {"name": "small", "namespace": "default", "resourceVersion": "1"}
        status = {"hard": hard, "used": {"pods": "4"}}
        api.store.create("resourcequotas", {"metadata": metadata, "spec": {"hard": hard}, "status": status})
        api.store.create("gangjobs", rigid("waits", size=7))
        await until(lambda: condition(api, "waits", "Planned"))

        await assert_keeps_its_size_in_free_room(api)


async def test_gang_that_overruns_grows_and_its_end_stays_a_guess():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api, work={"serialTime": "2h"})
        await asyncio.sleep(HOUR / 2)
        free_the_room(api)
        await asyncio.sleep(HOUR / 3)
        assert status_of(api)["size"] == 2

        await until(lambda: status_of(api)["attempt"] == 2, seconds=HOUR)
        await until_attempt(api, 2)

        assert (status_of(api)["size"], status_of(api)["firstSize"]) == (4, 2)
        assert float(status_of(api)["workDone"]) == pytest.approx(1, abs=0.002)
        set_phases(api, "g", "Running")
        await asyncio.sleep(HOUR)
        api.store.create("gangjobs", rigid("waits", size=2))
        await until(lambda: is_placed(api, "waits"))
        assert status_of(api)["size"] == 2


@pytest.mark.parametrize("ruled", [{"deadline": "900h"}, {"deadline": "900h", "sizing": "Fewest"}])
async def test_gang_that_overruns_and_has_the_fewest_members_that_are_enough_does_not_grow(ruled):
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(work={"serialTime": "2h"}, **ruled))
        await asyncio.sleep(4 * HOUR)
        assert (status_of(api)["size"], status_of(api)["attempt"]) == (1, 1)

        want_it_by(api, "5h")
        await until_attempt(api, 2)

        assert status_of(api)["size"] == 4


@pytest.mark.parametrize("size", [1, 3])
async def test_gang_changes_to_a_size_that_is_asked_for(size):
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api, work=None)

        ask_for(api, size)
        free_the_room(api)
        await until_attempt(api, 2)

        assert status_of(api)["size"] == size
        assert f" to {size} member" in note_of(api, "GangChangesSize")
        assert ", as elastic.size asks: its end is unknown; the change takes" in note_of(api, "GangChangesSize")


async def test_gang_without_elastic_keeps_its_size():
    async with operator_over(*FOUR) as (api, _):
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        await run(api, gang("g", size=1, most=4))

        free_the_room(api)
        await asyncio.sleep(HOUR)

        assert (status_of(api)["size"], status_of(api)["attempt"], "firstSize" in status_of(api)) == (2, 1, False)
