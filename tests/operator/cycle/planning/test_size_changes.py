"""Gangs that change their size while they run: what is written, in which order, and what becomes of a change."""

import asyncio

import pytest

from builders.served import at, bid, gang, node, priority_class
from fake_cluster.api import DELETE, NEVER_ARRIVED, PATCH, POST
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    bound,
    condition,
    event_reasons,
    gang_place,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phases,
    status_of,
    wall,
)
from fake_cluster.store import Place
from lockstep.api.quantities import epoch_seconds

pytestmark = pytest.mark.asyncio

FOUR = tuple(node(f"n{number}", cpu="1") for number in range(1, 5))
HOURS = {"serialTime": "400h"}


def elastic(name="g", *, least=1, most=4, work=None, restart="2m", **spec):
    """Describe a gang whose size may change; each member fills a node."""
    terms = {"mode": "Restart", "restartTime": restart, "minInterval": "10m"}
    return gang(name, size=least, most=most, spec={"work": work or HOURS, "elastic": terms, **spec})


def rigid(name, *, size, takes):
    """Describe a gang of one size, whose work takes one member so long."""
    return gang(name, size=size, spec={"work": {"serialTime": takes}})


async def run(api, manifest, name="g"):
    """Place a gang, whose members then run."""
    api.store.create("gangjobs", manifest)
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")
    await until(lambda: status_of(api, name).get("startedAt"))


async def beside_a_blocker(api):
    """Run an elastic gang on the two nodes that another one leaves."""
    await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
    await run(api, elastic())
    assert status_of(api)["size"] == 2


async def leave_in_a_change(api, kind, number):
    """Have the gang grow, and end the operator when it is about to send the request of this kind and number."""
    seen = []

    def stop_there(request):
        if request[:2] == kind and request.name.startswith("" if kind == (POST, "pods") else "g"):
            seen.append(request)
        return NEVER_ARRIVED if len(seen) >= number and request.is_write else None

    async with running_operator(api):
        api.fault = stop_there
        set_phases(api, "blocker", "Succeeded")
        await until(lambda: len(seen) >= number)
    api.fault = lambda _: None


async def until_attempt(api, attempt, name="g"):
    await until(lambda: status_of(api, name).get("attempt") == attempt and is_placed(api, name))


async def test_gang_grows_into_room_that_becomes_free_and_keeps_its_work():
    async with operator_over(*FOUR) as (api, parts):
        await beside_a_blocker(api)
        await asyncio.sleep(3600)

        set_phases(api, "blocker", "Succeeded")
        await until_attempt(api, 2)

        status = status_of(api)
        assert (status["size"], "next" in status) == (4, False)
        assert sorted(bound(pods_of(api, "g"))) == ["n1", "n2", "n3", "n4"]
        # An hour of two members is a half of a percent of 400 hours of one.
        assert float(status["workDone"]) == pytest.approx(2 / 400, rel=0.05)
        assert parts.metric("lockstep_size_changes_total", direction="grow") == 1
        assert parts.metric("lockstep_attempts_undone_total", reason="ChangingSize") == 1
        assert "BindInterrupted" not in event_reasons(api)
        [note] = [one["note"] for one in api.store.objects("events") if one["reason"] == "GangChangesSize"]
        assert note.startswith("Grows from 2 to 4 members: ends ")
        assert "sooner; the change takes about 2 min." in note


async def test_next_size_is_written_before_any_member_is_asked_to_end():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        first = len(api.requests)

        set_phases(api, "blocker", "Succeeded")
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


async def test_room_of_the_next_size_is_kept_while_members_take_their_grace():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        api.lingers = True
        set_phases(api, "blocker", "Succeeded")
        await until(lambda: "next" in status_of(api))

        api.store.create("gangjobs", gang("other", size=1))
        await asyncio.sleep(20)

        assert not is_placed(api, "other")
        assert condition(api, "g", "Placed") == ("False", "Undoing")
        for pod in pods_of(api, "g"):
            api.store.remove(pod_place(pod["metadata"]["name"]))
        api.lingers = False
        await until_attempt(api, 2)
        assert status_of(api).get("size") == 4


async def test_gang_does_not_change_again_within_its_interval():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        set_phases(api, "blocker", "Succeeded")
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
        [note] = [one["note"] for one in api.store.objects("events") if one["reason"] == "GangChangesSize"]
        assert note.startswith("Shrinks from 4 to 3 members, so that other gangs end sooner: ends ")
        assert parts.metric("lockstep_size_changes_total", direction="shrink") == 1
        await until(lambda: is_placed(api, "short"))


async def test_elastic_gang_that_is_suspended_keeps_its_work():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic())
        await asyncio.sleep(7200)

        generation = api.store.get(gang_place("g"))["metadata"]["generation"]
        api.store.change(gang_place("g"), metadata={"generation": generation + 1}, spec={"suspend": True})
        await until(lambda: condition(api, "g", "Suspended") == ("True", "GangSuspended"))

        assert float(status_of(api)["workDone"]) == pytest.approx(8 / 400, rel=0.05)


async def test_gang_without_elastic_keeps_its_size():
    async with operator_over(*FOUR) as (api, _):
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        await run(api, gang("g", size=1, most=4, spec={"work": HOURS}))

        set_phases(api, "blocker", "Succeeded")
        await asyncio.sleep(3600)

        assert (status_of(api)["size"], status_of(api)["attempt"]) == (2, 1)


async def test_members_that_succeed_as_the_change_begins_end_the_gang():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        set_phases(api, "g", "Running")

        def end_first(request):
            if request[:2] == (DELETE, "pods") and pods_of(api, "g")[0]["status"]["phase"] == "Running":
                set_phases(api, "g", "Succeeded")

        api.fault = end_first
        set_phases(api, "blocker", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))

        assert status_of(api)["attempt"] == 1
        assert "next" not in status_of(api)


async def test_gang_that_is_suspended_in_the_middle_of_a_change_holds_nothing():
    async with operator_over(*FOUR) as (api, parts):
        await beside_a_blocker(api)
        api.lingers = True
        set_phases(api, "blocker", "Succeeded")
        await until(lambda: "next" in status_of(api))

        generation = api.store.get(gang_place("g"))["metadata"]["generation"]
        api.store.change(gang_place("g"), metadata={"generation": generation + 1}, spec={"suspend": True})
        for pod in pods_of(api, "g"):
            api.store.remove(pod_place(pod["metadata"]["name"]))
        await until(lambda: condition(api, "g", "Suspended") == ("True", "GangSuspended"))

        assert "next" not in status_of(api)
        assert parts.state.ledger.assumed == 0
        assert not pods_of(api, "g")


async def test_gang_that_is_deleted_in_the_middle_of_a_change_holds_nothing():
    async with operator_over(*FOUR) as (api, parts):
        await beside_a_blocker(api)
        api.lingers = True
        set_phases(api, "blocker", "Succeeded")
        await until(lambda: "next" in status_of(api))

        api.store.remove(gang_place("g"))
        for pod in pods_of(api, "g"):
            api.store.remove(pod_place(pod["metadata"]["name"]))
        api.lingers = False
        await until(lambda: not pods_of(api, "g"))
        await asyncio.sleep(10)

        assert parts.state.ledger.assumed == 0
        await run(api, gang("other", size=4), "other")


async def test_change_is_dropped_if_a_node_goes_meanwhile_and_the_gang_is_planned_again():
    async with operator_over(*FOUR) as (api, parts):
        await beside_a_blocker(api)
        api.lingers = True
        set_phases(api, "blocker", "Succeeded")
        await until(lambda: "next" in status_of(api))

        api.store.remove(Place("nodes", "", "n4"))
        for pod in pods_of(api, "g"):
            api.store.remove(pod_place(pod["metadata"]["name"]))
        api.lingers = False
        await until_attempt(api, 2)

        assert (status_of(api)["size"], sorted(bound(pods_of(api, "g")))) == (3, ["n1", "n2", "n3"])
        assert parts.metric("lockstep_size_changes_dropped_total") == 1
        [note] = [one["note"] for one in api.store.objects("events") if one["reason"] == "SizeChangeDropped"]
        assert "there is no node n4" in note


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
        was = api.store.get(place)["spec"]
        api.store.change(place, spec=spec)
        await asyncio.sleep(5)

        set_phases(api, "blocker", "Succeeded")
        await asyncio.sleep(3600)
        assert (status_of(api)["size"], status_of(api)["attempt"]) == (3, 1)

        api.store.replace(place, {**api.store.get(place), "spec": was})
        await until_attempt(api, 2)
        assert status_of(api)["size"] == 4


async def test_gang_ends_as_much_later_as_its_change_takes():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        api.lingers = True
        set_phases(api, "blocker", "Succeeded")
        await until(lambda: "next" in status_of(api))

        await asyncio.sleep(36000)
        for pod in pods_of(api, "g"):
            api.store.remove(pod_place(pod["metadata"]["name"]))
        api.lingers = False
        await until_attempt(api, 2)

        # Four members take 100 hours for the work of 400 hours.
        run_time = epoch_seconds(status_of(api)["expectedFinish"]) - wall()
        assert run_time == pytest.approx(100 * 3600, rel=0.001)


async def test_less_urgent_gang_that_fits_nowhere_keeps_no_gang_from_shrinking():
    async with operator_over(*FOUR) as (api, _):
        api.store.create("priorityclasses", priority_class("low", -100))
        await run(api, elastic())
        api.store.create("gangjobs", gang("never", size=1, cpu="100", pod_spec={"priorityClassName": "low"}))
        await until(lambda: condition(api, "never", "Planned") == ("False", "NotEnoughRoom"))

        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        await until(lambda: is_placed(api, "short"))

        assert status_of(api)["size"] == 3


async def in_a_long_change(api):
    """Begin a change to all four nodes, in which the members take their grace."""
    await beside_a_blocker(api)
    api.lingers = True
    set_phases(api, "blocker", "Succeeded")
    await until(lambda: "next" in status_of(api))


def end_grace(api):
    """Remove the members that were asked to end."""
    for pod in pods_of(api, "g"):
        api.store.remove(pod_place(pod["metadata"]["name"]))
    api.lingers = False


async def test_more_urgent_gang_that_comes_during_a_change_takes_the_place_after_it():
    async with operator_over(*FOUR) as (api, _):
        api.store.create("priorityclasses", priority_class("high", 100))
        await in_a_long_change(api)
        api.store.create("gangjobs", gang("urgent", size=4, pod_spec={"priorityClassName": "high"}))
        await asyncio.sleep(30)

        end_grace(api)

        # The members of the next size are bound, but never run.
        await until(lambda: is_placed(api, "urgent"))
        assert status_of(api)["attempt"] == 2


async def test_gang_that_is_suspended_in_a_change_gives_the_next_room_back_at_once():
    async with operator_over(*FOUR) as (api, _):
        await in_a_long_change(api)
        generation = api.store.get(gang_place("g"))["metadata"]["generation"]
        api.store.change(gang_place("g"), metadata={"generation": generation + 1}, spec={"suspend": True})

        api.store.create("gangjobs", gang("other", size=2))
        await until(lambda: is_placed(api, "other"))

        assert len(pods_of(api, "g")) == 2


async def test_next_size_in_the_status_of_a_gang_that_runs_keeps_no_room():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        times = {"decidedAt": at(wall()), "expectedFinish": at(wall() + 36000)}
        members = [{"node": f"n{number}", "count": 1} for number in (1, 2, 3, 4)]
        api.store.change(gang_place("g"), status={"next": {"size": 4, "members": members, "why": "by hand", **times}})
        set_phases(api, "blocker", "Succeeded")

        await until_attempt(api, 2)

        assert (status_of(api)["size"], "next" in status_of(api)) == (4, False)


async def test_next_size_is_planned_with_the_work_that_members_have_not_reported():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        await asyncio.sleep(100 * 3600)
        for pod in pods_of(api, "g"):
            report = {"annotations": {**pod["metadata"].get("annotations", {}), "lockstep.dev/progress": "0.1"}}
            api.store.change(pod_place(pod["metadata"]["name"]), metadata=report)
        await asyncio.sleep(60)

        set_phases(api, "blocker", "Succeeded")
        await until_attempt(api, 2)

        # A half of the expected run time has passed, but nine tenths of 400 hours are left to four members.
        run_time = epoch_seconds(status_of(api)["expectedFinish"]) - wall()
        assert run_time == pytest.approx(90 * 3600, rel=0.001)


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        *[((PATCH, "gangjobs/status"), number) for number in (1, 2, 3, 4)],
        *[((DELETE, "pods"), number) for number in (1, 2)],
        *[((POST, "pods"), number) for number in (1, 2, 4)],
        *[((POST, "pods/binding"), number) for number in (1, 4)],
    ],
)
async def test_next_process_goes_on_with_a_change_from_every_request(kind, number):
    async with api_with(*FOUR) as api:
        async with running_operator(api):
            await beside_a_blocker(api)
        await leave_in_a_change(api, kind, number)
        async with running_operator(api) as parts:
            await until(lambda: status_of(api).get("size") == 4 and is_placed(api))
            assert len(pods_of(api, "g")) == 4
            assert "next" not in status_of(api)
            assert parts.state.ledger.assumed == 0
