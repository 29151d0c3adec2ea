"""Gangs that shrink for more urgent ones in the place of being evicted: what is written, and what both sides show."""

import asyncio

import pytest

from builders.notices import READS
from builders.served import budget, node, priority_class
from coschedule import GangKey
from fake_cluster.api import DELETE, DRY_RUN, PATCH, Refusal
from fake_cluster.elastic import (
    FIVE,
    FOUR,
    ask_for,
    change_spec,
    elastic,
    end_grace,
    note_of,
    rigid,
    run,
    until_attempt,
    with_launcher,
)
from fake_cluster.joining import ranks_of
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    api_with,
    bound,
    condition,
    is_placed,
    leave_before,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency

pytestmark = pytest.mark.asyncio

HOUR = 3600.0
MORE = node("n6", cpu="1")
SHRINKS = "Shrinks from 4 to 2 members for urgent gang default/hot, of priority 100: "
MODES = pytest.mark.parametrize("mode", ["Restart", "Members"])


def hot(name="hot", *, size=2, **more):
    """Describe an urgent gang for which the choice of sizes shrinks no other one: how long it runs is unknown."""
    return rigid(name, size=size, priorityClassName="urgent", **more)


async def running_for(api, seconds=HOUR, **described):
    """Run an elastic gang on all four nodes for a while."""
    api.store.create("priorityclasses", priority_class("urgent", 100))
    await run(api, elastic(**described))
    await asyncio.sleep(seconds)


def says(api, name, kind):
    return next(one["message"] for one in status_of(api, name)["conditions"] if one["type"] == kind)


def shrinks_and_evictions(parts):
    shrinks = parts.metric("lockstep_size_changes_total", direction="shrink") or 0
    return shrinks, parts.metric("lockstep_gangs_preempted_total")


async def test_gang_restarts_at_a_smaller_size_and_both_sides_say_so():
    async with operator_over(*FOUR) as (api, parts):
        await running_for(api)

        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))
        await until_attempt(api, 2)

        assert (status_of(api)["size"], shrinks_and_evictions(parts)) == (2, (1, 0))
        assert condition(api, "g", "Preempted") == ("False", "ShrunkForGang")
        assert says(api, "g", "Preempted").startswith(SHRINKS)
        assert says(api, "g", "Preempted").endswith(" later; the change takes about 2 min.")
        assert note_of(api, "GangChangesSize").startswith(SHRINKS)
        assert note_of(api, "PreemptedForGang") == (
            "Gang default/g shrinks from 4 to 2 members for this gang. This gang starts when members of the other "
            "gang have ended."
        )
        assert float(status_of(api)["workDone"]) == pytest.approx(4 / 400, rel=0.05)


async def test_members_leave_while_the_others_run():
    async with operator_over(*FOUR) as (api, parts):
        await running_for(api, mode="Members")
        first = len(api.requests)

        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))

        status = status_of(api)
        assert (status["attempt"], status["size"], ranks_of(api)) == (1, 2, [0, 1])
        assert shrinks_and_evictions(parts) == (1, 0)
        assert condition(api, "g", "Preempted") == ("False", "ShrunkForGang")
        assert says(api, "g", "Preempted").startswith(SHRINKS)
        assert "shrinks from 4 to 2 members for this gang" in note_of(api, "PreemptedForGang")
        writes = [one[:2] for one in api.requests[first:] if one.is_write and one.name.startswith("g")]
        assert writes[:3] == [(PATCH, "gangjobs/status"), *[(DELETE, "pods")] * 2]


async def test_gang_of_unknown_end_shrinks_below_its_first_size():
    async with operator_over(*FOUR) as (api, parts):
        await running_for(api, work=None)
        assert status_of(api)["firstSize"] == 4

        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))
        await until_attempt(api, 2)

        assert (status_of(api)["size"], shrinks_and_evictions(parts)) == (2, (1, 0))
        assert note_of(api, "GangChangesSize").startswith(f"{SHRINKS}its end is unknown; ")


async def test_gang_shrinks_though_a_less_urgent_one_waits():
    async with operator_over(*FOUR) as (api, parts):
        api.store.create("priorityclasses", priority_class("spare", -5))
        await running_for(api)
        api.store.create("gangjobs", rigid("less", size=1, takes="1000h", priorityClassName="spare"))

        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))

        assert shrinks_and_evictions(parts) == (1, 0)


async def test_members_that_read_notices_have_none():
    async with operator_over(*FOUR) as (api, parts):
        await running_for(api, pod_spec=READS)

        came = now()
        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))

        assert (now() - came < 10, shrinks_and_evictions(parts)) == (True, (1, 0))


@pytest.mark.parametrize(
    "described",
    [
        pytest.param({"seconds": 60}, id="a restart would lose more than it has worked"),
        pytest.param({"least": 3}, id="its fewest members leave too little"),
        pytest.param({"asked": 4}, id="its owner asks for that size"),
    ],
)
async def test_gang_is_evicted_as_before(described):
    async with operator_over(*FOUR) as (api, parts):
        await running_for(api, **described)

        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))

        assert shrinks_and_evictions(parts) == (0, 1)


async def test_gang_that_has_just_shrunk_is_evicted_for_the_next_one():
    async with operator_over(*FOUR) as (api, parts):
        await running_for(api)
        api.store.create("gangjobs", hot("hot", size=1))
        await until_attempt(api, 2)
        set_phases(api, "g", "Running")

        api.store.create("gangjobs", hot("next", size=1))
        await until(lambda: is_placed(api, "next"))

        assert shrinks_and_evictions(parts) == (1, 1)


async def test_gang_whose_class_says_never_waits():
    async with operator_over(*FOUR) as (api, parts):
        await running_for(api)
        api.store.create("priorityclasses", priority_class("patient", 100, policy="Never"))

        api.store.create("gangjobs", rigid("hot", size=2, priorityClassName="patient"))
        await asyncio.sleep(HOUR)

        assert (is_placed(api, "hot"), shrinks_and_evictions(parts)) == (False, (0, 0))


@pytest.mark.parametrize(
    ("mode", "allowed", "want"),
    [("Restart", 3, "old"), ("Restart", 4, "g"), ("Members", 1, "g"), ("Members", 0, "old")],
)
async def test_budget_counts_the_members_that_go(mode, allowed, want):
    async with operator_over(*FIVE, MORE) as (api, parts):
        await running_for(api, mode=mode)
        await run(api, rigid("old", size=1), "old")
        await asyncio.sleep(2 * HOUR)
        api.store.create("poddisruptionbudgets", budget(allowed=allowed, selector=_labels("g")))

        api.store.create("gangjobs", hot(size=1))
        await until(lambda: is_placed(api, "hot"))

        assert shrinks_and_evictions(parts) == ((1, 0) if want == "g" else (0, 1))


def _labels(name):
    return {"matchLabels": {"lockstep.dev/gang": name}}


async def test_launcher_stays_where_it_is():
    async with operator_over(*FIVE) as (api, parts):
        api.store.create("priorityclasses", priority_class("urgent", 100))
        await run(api, with_launcher())
        await asyncio.sleep(HOUR)

        api.store.create("gangjobs", hot())
        await until(lambda: is_placed(api, "hot"))
        await until_attempt(api, 2)

        assert (status_of(api)["size"], shrinks_and_evictions(parts)) == (3, (1, 0))
        assert "n5" in bound(pods_of(api, "g"))
        assert "Shrinks from 5 to 3 members for urgent gang default/hot" in says(api, "g", "Preempted")


@MODES
async def test_room_is_kept_during_a_long_grace_and_no_other_gang_gives_way(mode):
    async with operator_over(*FOUR, MORE) as (api, parts):
        long = {"terminationGracePeriodSeconds": 600}
        await running_for(api, mode=mode, pod_spec=long)
        await run(api, rigid("other", size=1), "other")
        # It has lost more work, and would end much sooner.
        await asyncio.sleep(2 * HOUR)
        api.lingers = True
        api.store.create("gangjobs", hot(size=1, takes="1000h"))
        await until(lambda: condition(api, "hot", "Planned") == ("True", "StartsLater"))

        api.store.create("gangjobs", rigid("behind", size=1))
        await asyncio.sleep(300)

        assert says(api, "hot", "Planned").endswith("It waits until gang default/g has given up its places there.")
        assert (is_placed(api, "behind"), is_placed(api, "hot"), shrinks_and_evictions(parts)) == (False, False, (1, 0))
        _end_leaving(api)
        await until(lambda: is_placed(api, "hot"))


@MODES
async def test_next_process_knows_for_which_gang_the_other_shrinks(mode):
    async with api_with(*FOUR, MORE) as api:
        async with running_operator(api):
            await running_for(api, mode=mode, pod_spec={"terminationGracePeriodSeconds": 600})
            await run(api, rigid("other", size=1), "other")
            await asyncio.sleep(2 * HOUR)
            api.lingers = True
            api.store.create("gangjobs", hot(size=1))
            await leave_before(api, (DELETE, "pods"))
        async with running_operator(api) as parts:
            await asyncio.sleep(300)
            assert shrinks_and_evictions(parts) == (0, 0)
            _end_leaving(api)

            await until(lambda: is_placed(api, "hot"))

            assert (status_of(api, "g")["size"], is_placed(api, "other")) == (3, True)


def _end_leaving(api):
    api.lingers = False
    for pod in pods_of(api, "g"):
        if "deletionTimestamp" in pod["metadata"]:
            api.store.remove(pod_place(pod["metadata"]["name"]))


@pytest.mark.parametrize(
    "happens",
    [
        pytest.param(lambda api: ask_for(api, 4), id="its owner asks for its size"),
        pytest.param(lambda api: set_phases(api, "g", "Succeeded"), id="it succeeds"),
        pytest.param(
            lambda api: setattr(api, "admit", lambda _: Refusal(code=422, message="no")), id="hot is not admitted"
        ),
    ],
)
async def test_gang_does_not_shrink_on_an_old_yes(monkeypatch, happens):
    plain, asked = KubeClient.dry_run, []

    async def dry_run(client, target, body, **more):
        asked.append(body["metadata"]["name"])
        if sum(name.startswith("hot-") for name in asked) == 2:
            happens(api)
            await asyncio.sleep(1)
        return await plain(client, target, body, **more)

    monkeypatch.setattr(KubeClient, "dry_run", dry_run)
    async with operator_over(*FOUR) as (api, parts):
        await running_for(api)

        api.store.create("gangjobs", hot())
        await asyncio.sleep(60)

        assert shrinks_and_evictions(parts)[0] == 0


async def test_grace_of_a_restart_ends_for_both():
    async with operator_over(*FOUR) as (api, _):
        await running_for(api)
        api.lingers = True
        api.store.create("gangjobs", hot())
        await until(lambda: "next" in status_of(api))
        await asyncio.sleep(10)

        assert says(api, "g", "Placed").count("for urgent gang default/hot, of priority 100") == 1
        end_grace(api)
        await until_attempt(api, 2)
        await until(lambda: is_placed(api, "hot"))
        assert not {*bound(pods_of(api, "g"))} & {*bound(pods_of(api, "hot"))}


async def test_members_leave_at_once_though_other_gangs_are_being_placed():
    async with operator_over(*FOUR) as (api, parts):
        await running_for(api, mode="Members")
        first = len(api.requests)

        async with parts.client._writes.turn(Urgency.ACT):
            api.store.create("gangjobs", hot())
            await asyncio.sleep(2)

            dry_runs = [one for one in api.requests[first:] if one.verb == DRY_RUN]
            assert (status_of(api)["size"], shrinks_and_evictions(parts)) == (2, (1, 0))
            assert len(dry_runs) < 10, "the shrink is decided once, not in each plan until it is written"


async def test_shrink_that_was_not_written_counts_for_nothing():
    async with operator_over(*FOUR) as (api, parts):
        await running_for(api, mode="Members")

        def become_urgent(request):
            if request[:2] == (PATCH, "gangjobs/status") and request.name == "g":
                api.fault = lambda _: None
                change_spec(api, {"priorityClassName": "urgent"})

        api.fault = become_urgent
        api.store.create("gangjobs", hot())
        await asyncio.sleep(60)

        assert (is_placed(api, "hot"), shrinks_and_evictions(parts)) == (False, (0, 0))
        assert parts.state.giving_way.shrunk.victims_of(GangKey("default", "hot")) == ()
