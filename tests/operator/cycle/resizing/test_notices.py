"""Members that have notice of a change of size: what they read, what ends the wait, and who has none."""

import asyncio
import math

import pytest

from builders.notices import FIELD, NOTICE, READS
from builders.served import CREATED, at, bid, gang
from fake_cluster.api import PATCH
from fake_cluster.elastic import (
    FOUR,
    HOURS,
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
from fake_cluster.jumping import now, until
from fake_cluster.looking import key, read_state, rules
from fake_cluster.noticed import (
    annotations,
    answer,
    begins_at,
    notices,
    said_at,
    until_noticed,
    with_notice,
)
from fake_cluster.rig import (
    bound,
    condition,
    event_reasons,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    set_phases,
    status_of,
    wall,
)
from fake_cluster.store import Place
from lockstep.answers.plan.size_of_run import why_this_size
from lockstep.api.quantities import epoch_seconds

pytestmark = pytest.mark.asyncio

PROJECTED = [
    {"name": "all", "projected": {"sources": [{"downwardAPI": {"items": [{"path": "r", "fieldRef": FIELD}]}}]}}
]
OF_N4 = Place("nodebids", "", "n4")
LABELS = [{"name": "labels", "downwardAPI": {"items": [{"path": "r", "fieldRef": {"fieldPath": "metadata.labels"}}]}}]


async def test_members_read_the_next_size_and_work_on_until_the_time_is_over():
    async with operator_over(*FOUR) as (api, parts):
        notice, began = await with_notice(api)

        assert said_at(notice) == (4, begins_at(api))
        begin = epoch_seconds(begins_at(api))
        assert 100 < begin - began <= 125
        await asyncio.sleep(begin - now() - 1)
        assert (status_of(api)["attempt"], is_placed(api), len(pods_of(api, "g"))) == (1, True, 2)

        # Four take 100 hours after a change that takes two minutes; two do half as much of that until then.
        finish = epoch_seconds(status_of(api)["next"]["expectedFinish"])
        assert finish == pytest.approx(begin + 120 + 100 * 3600 - (begin - began) / 2, abs=5)

        await until_attempt(api, 2)
        assert now() >= begin
        assert epoch_seconds(status_of(api)["expectedFinish"]) == pytest.approx(finish, abs=10)
        assert sorted(bound(pods_of(api, "g"))) == ["n1", "n2", "n3", "n4"]
        assert ("next" in status_of(api), status_of(api).get("restarts", 0)) == (False, 0)
        assert parts.metric("lockstep_size_changes_total", direction="grow") == 1
        assert notices(api) == [None] * 4


async def test_status_is_written_before_members_read_and_says_what_comes():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api, pod_spec=READS)
        first = len(api.requests)
        free_the_room(api)
        await until_noticed(api)

        writes = [one for one in api.requests[first:] if one.is_write and one.name in {"g", "g-1-0", "g-1-1"}]
        assert [one[:2] for one in writes] == [(PATCH, "gangjobs/status"), *[(PATCH, "pods")] * 2]
        will = f"will grow from 2 to 4 members at {begins_at(api)}, or as soon as it reports that it is ready"
        shown = [status_of(api)[field] for field in ("state", "sizeAndRange", "summary")]
        assert shown == ["Running", "2→4 (1–4)", will]
        assert note_of(api, "GangWillChangeSize").startswith(will.replace("will", "Will"))
        assert "GangChangesSize" not in event_reasons(api)
        state = await read_state(api)
        assert why_this_size(state, rules(), state.gangs[key("g")], wall()) == f"It {will}."


async def test_member_of_rank_0_that_is_ready_ends_the_wait():
    async with operator_over(*FOUR) as (api, _):
        notice, began = await with_notice(api)
        finish = epoch_seconds(status_of(api)["next"]["expectedFinish"])

        answer(api, notice)
        sooner = epoch_seconds(begins_at(api)) - now()
        await until_attempt(api, 2)

        assert now() - began < 20
        assert status_of(api)["size"] == 4
        # In the rest of the wait two members would have done half as much as four.
        assert epoch_seconds(status_of(api)["expectedFinish"]) == pytest.approx(finish - sooner / 2, abs=5)


@pytest.mark.parametrize(
    ("text", "rank"), [("4 2020-01-01T00:00:00Z", 0), ("yes", 0), ("", 0), ("{notice} ", 0), ("{notice}", 1)]
)
async def test_what_is_no_answer_of_rank_0_to_this_notice_is_ignored(text, rank):
    async with operator_over(*FOUR) as (api, _):
        notice, began = await with_notice(api)

        answer(api, text.format(notice=notice), rank)
        await asyncio.sleep(60)

        assert (status_of(api)["attempt"], is_placed(api)) == (1, True)
        await until_attempt(api, 2)
        assert now() - began > 100


@pytest.mark.parametrize("pod_spec", [None, {"volumes": LABELS}, "variable"])
async def test_gang_that_reads_no_notice_changes_at_once(pod_spec):
    if pod_spec == "variable":
        variable = {"name": "RESIZE", "valueFrom": {"fieldRef": FIELD}}
        pod_spec = {"containers": [{"name": "m", "env": [variable], "resources": {"requests": {"cpu": "1"}}}]}
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api, pod_spec=pod_spec)
        began = now()

        free_the_room(api)
        await until_attempt(api, 2)

        assert now() - began < 20
        assert "GangWillChangeSize" not in event_reasons(api)


async def test_projected_volume_has_the_notice_too():
    async with operator_over(*FOUR) as (api, _):
        notice, _ = await with_notice(api, volumes=PROJECTED)

        assert said_at(notice) == (4, begins_at(api))


async def test_shrinking_gang_has_notice_and_the_others_start_when_it_is_over():
    async with operator_over(*FOUR) as (api, parts):
        await run(api, elastic(pod_spec=READS))
        await asyncio.sleep(7200)

        began = now()
        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        notice = await until_noticed(api)
        assert said_at(notice)[0] == 3
        assert not is_placed(api, "short")

        await until(lambda: is_placed(api, "short"))
        assert now() - began > 10
        assert status_of(api)["size"] == 3
        assert parts.metric("lockstep_size_changes_total", direction="shrink") == 1


async def test_members_of_a_gang_that_shrinks_leave_before_a_start_that_is_promised_to_another():
    async with operator_over(*FOUR) as (api, _):
        await run(api, rigid("blocker", size=1, takes="10m"), "blocker")
        await run(api, elastic(restart="10m", asked=3, most=3, pod_spec=READS))
        api.store.create("gangjobs", rigid("waits", size=1, takes="2m"))
        promised = await until(lambda: status_of(api, "waits").get("plan", {}).get("promisedStart"))
        await asyncio.sleep(epoch_seconds(promised) - now() - 100)

        ask_for(api, 2)
        await until_noticed(api)

        assert epoch_seconds(promised) - 32 <= epoch_seconds(begins_at(api)) <= epoch_seconds(promised) - 30


@pytest.mark.parametrize(("takes", "waits"), [("40s", (0, 5)), ("4m", (15, 70)), ("20m", (115, 125))])
async def test_gang_that_grows_still_ends_before_a_start_that_is_promised_to_another(takes, waits):
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api, pod_spec=READS)
        free_the_room(api)
        api.store.create("gangjobs", rigid("waits", size=4, takes=takes))
        promised = await until(lambda: status_of(api, "waits").get("plan", {}).get("promisedStart"))
        assert "next" not in status_of(api)
        decided = now() + 2

        await until_attempt(api, 2)

        assert waits[0] <= now() - decided <= waits[1]
        assert epoch_seconds(status_of(api)["expectedFinish"]) <= epoch_seconds(promised)
        assert status_of(api, "waits")["plan"]["promisedStart"] == promised


async def test_gang_that_grows_to_meet_its_deadline_meets_it_with_a_notice_too():
    async with operator_over(*FOUR) as (api, _):
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        await run(api, elastic(work={"serialTime": "4h"}, restart="1s", pod_spec=READS, deadline="300h"))
        free_the_room(api)
        await asyncio.sleep(60)
        deadline = math.ceil(now()) + 3600 + 60

        want_it_by(api, f"{deadline - int(epoch_seconds(CREATED))}s")
        notice = await until_noticed(api)
        await until_attempt(api, 2)

        assert said_at(notice)[0] == status_of(api)["size"] == 4
        assert epoch_seconds(status_of(api)["expectedFinish"]) <= deadline


async def test_gang_of_unknown_end_has_notice():
    async with operator_over(*FOUR) as (api, _):
        notice, began = await with_notice(api, work=None)

        answer(api, notice)
        await until_attempt(api, 2)

        assert now() - began < 20
        assert (status_of(api)["size"], status_of(api)["firstSize"]) == (4, 2)


async def test_room_of_the_next_size_and_of_the_members_is_kept_meanwhile():
    async with operator_over(*FOUR) as (api, _):
        await with_notice(api)

        api.store.create("gangjobs", gang("other", size=1))
        await asyncio.sleep(60)
        assert not is_placed(api, "other")

        await until_attempt(api, 2)
        assert status_of(api)["size"] == 4


async def test_gang_that_waits_for_the_members_is_planned_for_the_end_of_notice_and_grace():
    async with operator_over(*FOUR) as (api, parts):
        await with_notice(api)
        state, gang_key = parts.state, key("g")

        [end] = {one.time for one in parts.services.cutter.cut(wall(), []).releases if one.time < wall() + 3600}

        assert end == epoch_seconds(begins_at(api)) + 30
        assert gang_key in state.counts.next_sizes


@pytest.mark.parametrize("returns", ["now", "at a time"])
async def test_owner_who_comes_back_shortens_the_wait_so_that_members_leave_in_time(returns):
    slow = bid("n4", dutyCycle="1", onReturn="Evict", gracePeriodSeconds=60)
    async with operator_over(*FOUR, bids=[slow]) as (api, parts):
        await run(api, elastic(asked=4, pod_spec={**READS, "terminationGracePeriodSeconds": 20}))
        api.lingers = True
        ask_for(api, 3)
        await until_noticed(api)
        leave_by = now() + 60
        api.store.change(OF_N4, spec={"ownerPresent": True} if returns == "now" else {"availableUntil": at(leave_by)})
        await asyncio.sleep(1)
        assert is_placed(api)

        await until(lambda: condition(api, "g", "Placed") == ("False", "Undoing"))

        await until(lambda: all("deletionTimestamp" in pod["metadata"] for pod in pods_of(api, "g")))
        gone_by = {pod["metadata"]["deletionTimestamp"] for pod in pods_of(api, "g")}
        # Times of the status and of pods are whole seconds.
        assert at(leave_by - 2) <= min(gone_by) <= max(gone_by) <= at(leave_by)
        assert [entry["node"] for entry in status_of(api)["next"]["members"]] == ["n1", "n2", "n3"]
        assert parts.metric("lockstep_attempts_undone_total", reason="OwnerReturned") in {None, 0}


async def test_member_that_lost_its_notice_has_it_again():
    async with operator_over(*FOUR) as (api, _):
        notice, _ = await with_notice(api)
        [pod, _] = pods_of(api, "g")

        api.store.change(pod_place(pod["metadata"]["name"]), metadata={"annotations": {NOTICE: "7 soon"}})
        await until(lambda: set(notices(api)) == {notice})

        assert annotations(pods_of(api, "g")[0])[NOTICE] == notice


async def test_gang_does_not_change_again_within_its_interval_after_a_notice():
    async with operator_over(*FOUR) as (api, _):
        notice, _ = await with_notice(api, work=HOURS)
        answer(api, notice)
        await until_attempt(api, 2)
        set_phases(api, "g", "Running")

        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        await asyncio.sleep(300)

        assert "next" not in status_of(api)
        assert status_of(api)["attempt"] == 2
