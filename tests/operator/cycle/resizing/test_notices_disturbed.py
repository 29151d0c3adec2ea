"""What may come between while members have notice of a change: from outside, and where the operator ends."""

import asyncio

import pytest

from builders.manifests import failed_status
from builders.notices import NOTICE, READS
from builders.served import at, bid, gang, node, priority_class
from fake_cluster.api import PATCH, REFUSED, Refusal
from fake_cluster.elastic import (
    FOUR,
    MIN_INTERVAL,
    ask_for,
    beside_a_blocker,
    elastic,
    end_grace,
    free_the_room,
    hold_nothing_once_deleted,
    hold_nothing_once_suspended,
    note_of,
    run,
    until_attempt,
    want_it_by,
)
from fake_cluster.jumping import now, until
from fake_cluster.looking import key
from fake_cluster.noticed import annotations, answer, begins_at, notices, until_noticed, until_taken_back, with_notice
from fake_cluster.rig import (
    bound,
    condition,
    event_reasons,
    gang_place,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    set_phase,
    set_phases,
    status_of,
)
from fake_cluster.store import Place
from lockstep.api.quantities import epoch_seconds

pytestmark = pytest.mark.asyncio

NEW_NODE = "n1"
PLACE = Place("nodes", "", NEW_NODE)


@pytest.mark.parametrize("pod_spec", [READS, None], ids=["with notice", "without"])
async def test_gangs_that_change_on_the_same_nodes_take_no_room_from_each_other(pod_spec):
    """What members that leave a node take, and those of the next size, is never taken at once."""
    names = [f"g{number}" for number in range(12)]
    async with operator_over(*(node(f"n{number}", cpu="4") for number in range(7))) as (api, parts):
        for name in names:
            await run(api, elastic(name, asked=1, pod_spec=pod_spec), name)
        api.lingers = True

        for name in names:
            ask_for(api, 2, name)
        await until(lambda: all("next" in status_of(api, name) for name in names))
        await asyncio.sleep(130)
        for name in names:
            end_grace(api, name)
            await asyncio.sleep(1)
        await until(lambda: all(status_of(api, name)["attempt"] == 2 and is_placed(api, name) for name in names))

        assert parts.metric("lockstep_size_changes_dropped_total") in {None, 0}
        assert {status_of(api, name)["size"] for name in names} == {2}


async def test_gang_that_was_promised_room_beside_one_that_has_notice_starts_when_it_is_free():
    big = node("n1", cpu="2", labels={"kind": "big"})
    on_big = {"nodeSelector": {"kind": "big"}}
    async with operator_over(big, node("n2", cpu="1")) as (api, parts):
        await run(api, gang("blocker", size=1, spec={"work": {"serialTime": "2m"}}, pod_spec=on_big), "blocker")
        await run(api, elastic(asked=1, most=2, pod_spec=READS))
        api.store.create("gangjobs", gang("waits", size=1, spec={"work": {"serialTime": "20s"}}, pod_spec=on_big))
        promised = await until(lambda: status_of(api, "waits").get("plan", {}).get("promisedStart"))
        await asyncio.sleep(60)
        ask_for(api, 2)
        await until_noticed(api)

        snapshot = parts.services.cutter.cut(now(), [parts.state.gangs[key("waits")]])
        room, cpu = snapshot.free.copy(), snapshot.resources.index("cpu")
        for one in snapshot.releases:
            room[one.node] += one.request
        assert (snapshot.free[:, cpu].tolist(), room[:, cpu].tolist()) == ([0, 0], [2000, 1000])
        assert parts.services.cutter.cut(now(), []).free.shape == (2, 0), "a plan without gangs counts nothing"
        free_the_room(api)
        await until(lambda: is_placed(api, "waits"))

        assert now() <= epoch_seconds(promised)
        await until_attempt(api, 2)


@pytest.mark.parametrize("what", ["gone", "cordoned", "closed"])
async def test_notice_is_taken_back_if_the_next_size_has_no_place_any_more(what):
    async with operator_over(*FOUR) as (api, parts):
        notice, began = await with_notice(api)
        assert NEW_NODE not in bound(pods_of(api, "g"))

        if what == "gone":
            api.store.remove(PLACE)
        elif what == "cordoned":
            api.store.change(PLACE, spec={"unschedulable": True})
        else:
            api.store.create("nodebids", bid(NEW_NODE, ownerPresent=True))
        await until(lambda: "SizeChangeDropped" in event_reasons(api))

        assert now() - began < 60
        assert NEW_NODE in note_of(api, "SizeChangeDropped")
        assert note_of(api, "SizeChangeDropped").endswith("The gang keeps its size.")
        assert parts.metric("lockstep_size_changes_dropped_total") == 1
        # Room may come and go: the members would be patched each time.
        await asyncio.sleep(MIN_INTERVAL - 60)
        assert set(notices(api)) == {None}
        # Three nodes are left to grow into.
        assert await until_noticed_again(api, notice)
        await until_attempt(api, 2)
        assert status_of(api)["size"] == 3


async def until_noticed_again(api, before):
    """Wait until all members have another notice than that."""
    await until(lambda: len(set(notices(api))) == 1 and notices(api)[0] not in {None, before})
    return notices(api)[0]


@pytest.mark.parametrize("after", [0, 30, 3600], ids=str)
async def test_answer_to_a_notice_that_was_taken_back_does_not_stay(after):
    async with operator_over(*FOUR) as (api, _):
        notice, _ = await with_notice(api)
        ask_for(api, 2)
        await until_taken_back(api)
        await asyncio.sleep(after)

        answer(api, notice)

        await until_taken_back(api)


async def test_notice_is_taken_back_if_another_size_is_asked_for():
    async with operator_over(*FOUR) as (api, _):
        await with_notice(api)

        ask_for(api, 2)
        await until_taken_back(api)

        assert "elastic.size asks for 2 members" in note_of(api, "SizeChangeDropped")
        await asyncio.sleep(600)
        assert (status_of(api)["size"], status_of(api)["attempt"]) == (2, 1)


@pytest.mark.parametrize("spec", [{"elastic": None}, {"size": {"min": 1, "max": 3}}, {"size": {"allowed": [2, 3, 5]}}])
async def test_notice_is_taken_back_if_the_spec_does_not_allow_the_change_any_more(spec):
    async with operator_over(*FOUR) as (api, parts):
        await with_notice(api)

        place = gang_place("g")
        old = api.store.get(place)
        kept = {name: value for name, value in old["spec"].items() if name not in spec}
        old["spec"] = kept | {name: value for name, value in spec.items() if value is not None}
        old["metadata"]["generation"] += 1
        api.store.replace(place, old)
        await until(lambda: "SizeChangeDropped" in event_reasons(api))

        assert "the spec no longer allows that size" in note_of(api, "SizeChangeDropped")
        if spec == {"elastic": None}:
            await until_taken_back(api)
            assert parts.state.ledger.assumed == 0


@pytest.mark.parametrize(("hours", "asked", "want"), [(108, None, 4), (108, 3, 3), (140, None, 3), (50, None, 3)])
async def test_gang_whose_deadline_comes_closer_shrinks_to_no_size_that_misses_it(hours, asked, want):
    """Four members need 100 hours, three 132. A size that is asked for, and a deadline that is missed anyway, count."""
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(pod_spec=READS, deadline="500h", asked=4))
        ask_for(api, 3)
        await until_noticed(api)
        if asked is None:
            ask_for(api, None)

        want_it_by(api, f"{hours}h")
        await asyncio.sleep(200)

        assert (status_of(api)["size"], "next" in status_of(api)) == (want, False)
        if want == 4:
            assert "with 3 members the gang would miss its deadline" in note_of(api, "SizeChangeDropped")


async def test_member_that_succeeds_meanwhile_keeps_the_size():
    async with operator_over(*FOUR) as (api, _):
        await with_notice(api)

        set_phase(api, "g-1-1", "Succeeded")
        await until(lambda: "next" not in status_of(api))

        assert "a member has succeeded" in note_of(api, "SizeChangeDropped")
        await until(lambda: annotations(pods_of(api, "g")[0]).get(NOTICE) is None)
        set_phases(api, "g", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))
        assert status_of(api)["attempt"] == 1


async def test_members_that_all_succeed_meanwhile_end_the_gang():
    async with operator_over(*FOUR) as (api, parts):
        await with_notice(api)

        set_phases(api, "g", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))

        assert "next" not in status_of(api)
        assert parts.state.ledger.assumed == 0


async def test_member_that_fails_meanwhile_fails_the_gang():
    async with operator_over(*FOUR) as (api, parts):
        await with_notice(api)

        set_phase(api, "g-1-1", **failed_status(3))
        await until(lambda: condition(api, "g", "Failed") == ("True", "MemberFailed"))

        assert "next" not in status_of(api)
        assert parts.state.ledger.assumed == 0


async def test_member_that_is_lost_meanwhile_ends_the_attempt_and_drops_the_change():
    async with operator_over(*FOUR) as (api, _):
        _, began = await with_notice(api)

        api.store.remove(pod_place("g-1-1"))
        await until_attempt(api, 2)

        assert now() - began < 20
        assert "GangChangesSize" not in event_reasons(api)
        assert status_of(api)["size"] == 4


async def test_gang_ends_as_much_later_as_its_change_takes_and_not_as_its_notice():
    async with operator_over(*FOUR) as (api, _):
        _, began = await with_notice(api)
        api.lingers = True
        await until(lambda: condition(api, "g", "Placed") == ("False", "Undoing"))
        worked = now() - began

        await asyncio.sleep(3600)
        end_grace(api)
        await until_attempt(api, 2)

        # Four members take 100 hours for the work of 400 hours; two have done half as much of that meanwhile.
        run_time = epoch_seconds(status_of(api)["expectedFinish"]) - now()
        assert run_time == pytest.approx(100 * 3600 - worked / 2, abs=5)


async def test_gang_that_is_suspended_meanwhile_holds_nothing():
    async with operator_over(*FOUR) as (api, parts):
        await with_notice(api)

        await hold_nothing_once_suspended(api, parts)


async def test_gang_that_is_deleted_meanwhile_holds_nothing():
    async with operator_over(*FOUR) as (api, parts):
        await with_notice(api)

        await hold_nothing_once_deleted(api, parts)


async def test_more_urgent_gang_evicts_none_that_has_notice_and_starts_after_the_change():
    async with operator_over(*FOUR) as (api, _):
        api.store.create("priorityclasses", priority_class("high", 100))
        await with_notice(api)

        api.store.create("gangjobs", gang("urgent", size=4, pod_spec={"priorityClassName": "high"}))
        await asyncio.sleep(30)
        assert (status_of(api)["attempt"], is_placed(api)) == (1, True)

        await until(lambda: is_placed(api, "urgent"))


async def test_notice_that_the_api_server_refuses_keeps_no_room():
    async with operator_over(*FOUR) as (api, parts):
        await beside_a_blocker(api, pod_spec=READS)
        api.fault = lambda request: REFUSED if request[:3] == (PATCH, "gangjobs/status", "g") else None
        free_the_room(api)
        await asyncio.sleep(30)
        assert set(notices(api)) == {None}

        ask_for(api, 2)
        await asyncio.sleep(120)
        assert parts.state.ledger.assumed == 0
        api.fault = lambda _: None
        await asyncio.sleep(600)
        assert (status_of(api)["attempt"], set(notices(api))) == (1, {None})


async def test_change_begins_in_time_though_no_member_can_be_patched():
    async with operator_over(*FOUR) as (api, _):
        api.fault = lambda request: REFUSED if request[:2] == (PATCH, "pods") else None
        await beside_a_blocker(api, pod_spec=READS)
        free_the_room(api)
        await until(lambda: "next" in status_of(api))
        begin = epoch_seconds(begins_at(api))

        await until_attempt(api, 2)

        assert begin <= now() < begin + 20


@pytest.mark.parametrize("tenths", range(0, 40, 4))
async def test_notice_that_is_still_to_be_written_is_not_written_once_the_change_is_dropped(tenths):
    async with operator_over(*FOUR) as (api, _):
        api.fault = lambda request: Refusal(code=503) if request[:2] == (PATCH, "pods") else None
        await beside_a_blocker(api, pod_spec=READS)
        free_the_room(api)
        await until(lambda: "next" in status_of(api))
        # The client tries again with growing pauses, for three seconds.
        await asyncio.sleep(tenths / 10)

        ask_for(api, 2)
        await until(lambda: "next" not in status_of(api))
        await asyncio.sleep(0.1)
        api.fault = lambda _: None
        await asyncio.sleep(120)

        shown = (annotations(it.event["object"]) for it in api.store.past if it.resource == "pods")
        assert not any(NOTICE in one for one in shown)


async def test_change_begins_at_once_if_the_clock_was_set_back():
    async with operator_over(*FOUR) as (api, _):
        await with_notice(api)
        following = {**status_of(api)["next"], "beginsAt": at(now() + 3600)}

        api.store.change(gang_place("g"), status={"next": following})
        began = now()
        await until_attempt(api, 2)

        assert now() - began < 20
