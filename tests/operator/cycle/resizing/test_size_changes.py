"""Gangs that change their size while they run: which do, when, what is written and in which order."""

import asyncio

import pytest

from builders.served import at, bid, gang, metadata, node, priority_class
from fake_cluster.api import DELETE, PATCH, POST
from fake_cluster.elastic import (
    FOUR,
    HOURS,
    ask_for,
    beside_a_blocker,
    elastic,
    free_the_room,
    grow_only_once_open,
    grown,
    note_of,
    rigid,
    run,
    suspend,
    until_attempt,
    want_it_by,
)
from fake_cluster.jumping import until
from fake_cluster.rig import (
    bound,
    condition,
    event_reasons,
    gang_place,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    set_phases,
    status_of,
    wall,
)
from fake_cluster.store import Place
from lockstep.api.quantities import epoch_seconds
from lockstep.report.text.sentences import duration

pytestmark = pytest.mark.asyncio


async def test_change_that_takes_long_makes_the_next_one_count_as_long():
    async with operator_over(*FOUR) as (api, _):
        seconds = await grown(api, takes=300)
        assert seconds == pytest.approx(300, abs=5)
        ask_for(api, 2)
        await until_attempt(api, 3)

    notes = sorted(one["note"] for one in api.store.objects("events") if one["reason"] == "GangChangesSize")
    assert [note.split("; ")[-1].split(".")[0] for note in notes] == [
        "the change takes about 2 min",
        f"the change takes about {duration(seconds)}",
    ]


async def test_gang_with_a_deadline_grows_only_to_meet_it():
    async with operator_over(*FOUR) as (api, _):
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        await run(api, elastic(deadline="300h"))
        free_the_room(api)
        await asyncio.sleep(3600)
        assert (status_of(api)["size"], status_of(api)["attempt"]) == (2, 1)

        want_it_by(api, "150h")
        await until_attempt(api, 2)

        assert status_of(api)["size"] == 3


async def test_gang_whose_sizing_is_fewest_does_not_grow():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(sizing="Fewest"))
        await asyncio.sleep(7200)

        assert (status_of(api)["size"], status_of(api)["attempt"]) == (1, 1)


async def test_gang_whose_sizing_is_fastest_shrinks_for_a_more_urgent_gang_only():
    async with operator_over(*FOUR) as (api, _):
        usual = priority_class("usual", 0, is_default=True)
        usual["metadata"]["annotations"] = {"lockstep.dev/allowed-sizing": "Fastest"}
        api.store.create("priorityclasses", usual)
        api.store.create("priorityclasses", priority_class("high", 100))
        await run(api, elastic(sizing="Fastest"))
        # It is worth a place, and another elastic gang would give it up.
        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        await asyncio.sleep(7200)
        assert (status_of(api)["size"], is_placed(api, "short")) == (4, False)

        api.store.remove(gang_place("short"))
        urgent = gang("urgent", size=1, pod_spec={"priorityClassName": "high"})
        api.store.create("gangjobs", urgent)
        await until(lambda: is_placed(api, "urgent"))
        await until_attempt(api, 2)

        assert status_of(api)["size"] == 3


async def test_gang_grows_into_room_that_becomes_free_and_keeps_its_work():
    async with operator_over(*FOUR) as (api, parts):
        await beside_a_blocker(api)
        await asyncio.sleep(3600)

        free_the_room(api)
        await until_attempt(api, 2)

        status = status_of(api)
        assert (status["size"], "next" in status) == (4, False)
        assert sorted(bound(pods_of(api, "g"))) == ["n1", "n2", "n3", "n4"]
        # An hour of two members is a half of a percent of 400 hours of one.
        assert float(status["workDone"]) == pytest.approx(2 / 400, rel=0.05)
        assert parts.metric("lockstep_size_changes_total", direction="grow") == 1
        assert parts.metric("lockstep_attempts_undone_total", reason="ChangingSize") == 1
        assert "BindInterrupted" not in event_reasons(api)
        note = note_of(api, "GangChangesSize")
        assert note.startswith("Grows from 2 to 4 members: there is room for 2 more; it ends ")
        assert "sooner; the change takes about 2 min." in note


async def test_next_size_is_written_before_any_member_is_asked_to_end():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        first = len(api.requests)

        free_the_room(api)
        await until_attempt(api, 2)

        writes = [one for one in api.requests[first:] if one.is_write and one.name in {"g", "g-1-0", "g-1-1", ""}]
        kinds = [one[:2] for one in writes if one.resource in {"gangjobs/status", "pods"}]
        assert kinds == [
            (PATCH, "gangjobs/status"),
            *[(DELETE, "pods")] * 2,
            (PATCH, "gangjobs/status"),
            (PATCH, "gangjobs/status"),
            *[(POST, "pods")] * 4,
            (PATCH, "gangjobs/status"),
        ]


async def test_gang_does_not_change_again_within_its_interval():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        free_the_room(api)
        await until_attempt(api, 2)
        set_phases(api, "g", "Running")

        # It is worth a place, and an elastic gang would give it up.
        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        await asyncio.sleep(300)
        assert not is_placed(api, "short")

        await until(lambda: is_placed(api, "short"))
        assert status_of(api)["attempt"] == 3


async def test_shrinking_gang_names_the_others_and_loses_nothing():
    async with operator_over(*FOUR) as (api, parts):
        await run(api, elastic())
        await asyncio.sleep(7200)

        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        await until_attempt(api, 2)

        assert status_of(api)["size"] == 3
        assert float(status_of(api)["workDone"]) == pytest.approx(8 / 400, rel=0.05)
        note = note_of(api, "GangChangesSize")
        assert note.startswith(
            "Shrinks from 4 to 3 members: default/short waits, and starts on the nodes that become free; it ends "
        )
        assert parts.metric("lockstep_size_changes_total", direction="shrink") == 1
        await until(lambda: is_placed(api, "short"))


async def test_gang_starts_on_room_that_is_given_up_only_once_it_is_free():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(size={"min": 2, "max": 4, "multipleOf": 2}))
        await asyncio.sleep(7200)

        # The change is for the first of them. The other one is planned beside it, on what it leaves.
        urgent = {"work": {"serialTime": "1m"}, "deadline": "5h"}
        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        api.store.create("gangjobs", gang("other", size=1, spec=urgent))
        await asyncio.sleep(0.5)
        assert not is_placed(api, "other")

        await until(lambda: is_placed(api, "other"))
        assert status_of(api)["size"] == 2


async def test_elastic_gang_that_is_suspended_keeps_its_work():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic())
        await asyncio.sleep(7200)

        suspend(api)
        await until(lambda: condition(api, "g", "Suspended") == ("True", "GangSuspended"))

        assert float(status_of(api)["workDone"]) == pytest.approx(8 / 400, rel=0.05)


async def test_gang_without_elastic_keeps_its_size():
    async with operator_over(*FOUR) as (api, _):
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        await run(api, gang("g", size=1, most=4, spec={"work": HOURS}))

        free_the_room(api)
        await asyncio.sleep(3600)

        assert (status_of(api)["size"], status_of(api)["attempt"]) == (2, 1)


@pytest.mark.parametrize(
    ("resource", "spec"),
    [
        ("nodes", {"unschedulable": True}),
        ("nodes", {"taints": [{"key": "k", "effect": "NoSchedule"}]}),
        ("nodebids", {"slots": 0}),
    ],
)
async def test_gang_keeps_its_size_while_a_node_of_its_own_takes_no_members(resource, spec):
    async with operator_over(*FOUR, bids=[bid(f"n{number}", capacity="1") for number in range(1, 5)]) as (api, _):
        await run(api, rigid("blocker", size=1, takes="1000h"), "blocker")
        await run(api, elastic(least=3))
        place = Place(resource, "", bound(pods_of(api, "g"))[0])

        await grow_only_once_open(api, place, spec, size=3, largest=4)


async def test_less_urgent_gang_that_fits_nowhere_keeps_no_gang_from_shrinking():
    async with operator_over(*FOUR) as (api, _):
        api.store.create("priorityclasses", priority_class("low", -100))
        await run(api, elastic())
        api.store.create("gangjobs", gang("never", size=1, cpu="100", pod_spec={"priorityClassName": "low"}))
        await until(lambda: condition(api, "never", "Planned") == ("False", "NotEnoughRoom"))

        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        await until(lambda: is_placed(api, "short"))

        assert status_of(api)["size"] == 3


async def test_next_size_in_the_status_of_a_gang_that_runs_keeps_no_room():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        times = {"decidedAt": at(wall()), "expectedFinish": at(wall() + 36000)}
        members = [{"node": f"n{number}", "count": 1} for number in (1, 2, 3, 4)]
        api.store.change(gang_place("g"), status={"next": {"size": 4, "members": members, "why": "by hand", **times}})
        free_the_room(api)

        await until_attempt(api, 2)

        assert (status_of(api)["size"], "next" in status_of(api)) == (4, False)


async def test_next_size_is_planned_with_the_work_that_members_have_not_reported():
    async with operator_over(*FOUR) as (api, _):
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        await run(api, elastic(work={"serialTime": "40h"}))
        await asyncio.sleep(10 * 3600)
        for pod in pods_of(api, "g"):
            report = {"annotations": {**pod["metadata"].get("annotations", {}), "lockstep.dev/progress": "0.1"}}
            api.store.change(pod_place(pod["metadata"]["name"]), metadata=report)
        await asyncio.sleep(60)

        free_the_room(api)
        await until_attempt(api, 2)

        # A half of the expected run time has passed, but nine tenths of 40 hours are left to four, and a change.
        run_time = epoch_seconds(status_of(api)["expectedFinish"]) - wall()
        assert run_time == pytest.approx(9 * 3600 + 120, rel=0.001)


async def test_members_that_move_to_faster_nodes_take_no_more_of_a_quota():
    slow = [bid(name, dutyCycle="1") for name in ("n1", "n2")]
    async with operator_over(*FOUR, node("n5", cpu="1"), bids=slow) as (api, _):
        await run(api, rigid("blocker", size=3, takes="1000h"), "blocker")
        await run(api, elastic(most=3))
        assert sorted(bound(pods_of(api, "g"))) == ["n1", "n2"]
        status = {"hard": {"pods": "4"}, "used": {"pods": "2"}}
        api.store.create("resourcequotas", {"metadata": metadata("small", namespace="default"), "status": status})

        free_the_room(api)
        await until_attempt(api, 2)

        assert sorted(bound(pods_of(api, "g"))) == ["n3", "n4", "n5"]
