"""Members that leave a gang while the others run: as decided, or because they are lost or their owner comes back."""

import asyncio
import re

import pytest

from builders.served import at, bid, gang
from fake_cluster.api import DELETE, NEVER_ARRIVED, PATCH, Odd
from fake_cluster.elastic import FIVE, FOUR, HOURS, ask_for, elastic, free_the_room, note_of, rigid, run, with_launcher
from fake_cluster.joining import node_of, ranks_of, run_all, until_size
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    api_with,
    condition,
    event_reasons,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phase,
    status_of,
)
from fake_cluster.store import Place
from lockstep.belief.nodes.owners import QUIET_SECONDS

pytestmark = pytest.mark.asyncio

EVICT = {"onReturn": "Evict", "gracePeriodSeconds": 30}
BIDS = tuple(bid(f"n{number}", **EVICT) for number in range(1, 5))


async def of_four(api, **described):
    """Run a gang of four members, of which some may leave."""
    await run(api, elastic(mode="Members", **described))
    assert ranks_of(api) == [0, 1, 2, 3]


def owner_comes_back(api, node):
    api.store.change(Place("nodebids", "", node), spec={"ownerPresent": True})


async def test_members_with_the_highest_ranks_leave_after_that_is_written():
    async with operator_over(*FOUR) as (api, parts):
        await of_four(api)
        await asyncio.sleep(3600)
        first = len(api.requests)

        ask_for(api, 2)
        await until_size(api, 2)

        status = status_of(api)
        assert (ranks_of(api), status["attempt"], status["memberChanges"]) == ([0, 1], 1, 1)
        assert ("ranks" in status, float(status["workDone"])) == (False, pytest.approx(4 / 400, rel=0.05))
        writes = [one for one in api.requests[first:] if one.is_write and one.resource in {"gangjobs/status", "pods"}]
        assert [one[:2] for one in writes] == [(PATCH, "gangjobs/status"), *[(DELETE, "pods")] * 2]
        assert parts.metric("lockstep_size_changes_total", direction="shrink") == 1
        assert note_of(api, "GangChangesSize").endswith("The other members continue to run.")


async def test_list_of_members_is_written_again_after_an_answer_that_is_no_object():
    async with operator_over(*FOUR) as (api, _):
        await of_four(api, network={"launcher": "OpenMPI"})
        hosts = Place("configmaps", "default", "g-hosts")
        assert "g-1-3" in str(api.store.get(hosts)["data"])
        odd = iter([Odd({"kind": "Status"})])
        api.fault = lambda request: next(odd, None) if request.resource == "configmaps" else None

        ask_for(api, 2)
        await until_size(api, 2)

        await until(lambda: "g-1-3" not in str(api.store.get(hosts)["data"]), seconds=60)
        assert next(odd, None) is None


async def test_gang_shrinks_for_one_that_waits_which_starts_when_the_members_are_gone():
    async with operator_over(*FOUR) as (api, _):
        await of_four(api)
        api.lingers = True
        api.store.create("gangjobs", rigid("short", size=2, takes="20m"))
        await until(lambda: status_of(api)["size"] == 2)
        leave = [pod for pod in pods_of(api, "g") if "deletionTimestamp" in pod["metadata"]]
        assert (len(leave), is_placed(api, "short")) == (2, False)

        for pod in leave:
            api.store.remove(pod_place(pod["metadata"]["name"]))
        await until(lambda: is_placed(api, "short"))

        assert (ranks_of(api), status_of(api)["attempt"]) == ([0, 1], 1)


async def test_gang_that_waits_is_planned_for_the_end_of_the_grace_of_members_that_leave():
    async with operator_over(*FOUR) as (api, _):
        await of_four(api, pod_spec={"terminationGracePeriodSeconds": 120})
        api.lingers = True
        ask_for(api, 2)
        await until(lambda: status_of(api)["size"] == 2)
        left = now()

        api.store.create("gangjobs", rigid("short", size=2, takes="20m"))
        await until(lambda: "plan" in status_of(api, "short"))

        assert status_of(api, "short")["plan"]["likelyStart"] <= at(left + 125)


@pytest.mark.parametrize("rank", [1, 2, 3])
async def test_only_the_member_on_the_node_leaves_whose_owner_comes_back(rank):
    async with operator_over(*FOUR, bids=BIDS) as (api, parts):
        await of_four(api)
        others = {
            pod["metadata"]["uid"] for pod in pods_of(api, "g") if not pod["metadata"]["name"].endswith(str(rank))
        }
        node, came = node_of(api, rank), now()

        owner_comes_back(api, node)
        await until_size(api, 3)

        assert 29 <= now() - came <= 40
        assert ranks_of(api) == [one for one in range(4) if one != rank]
        assert {pod["metadata"]["uid"] for pod in pods_of(api, "g")} == others
        assert (status_of(api)["attempt"], status_of(api).get("restarts")) == (1, None)
        assert status_of(api).get("ranks", "0-2") == {1: "0,2-3", 2: "0-1,3", 3: "0-2"}[rank]
        note = note_of(api, "GangChangesSize")
        assert note.startswith(f"Shrinks from 4 to 3 members: the owner of node {node} has been back since ")
        assert re.search(r"Z; it ends 33 h \d+ min later\.", note)
        assert parts.state.ledger.assumed == 0


async def test_member_that_joins_later_has_the_rank_that_is_free():
    async with operator_over(*FOUR, bids=BIDS) as (api, _):
        await of_four(api)
        node = node_of(api, 1)
        owner_comes_back(api, node)
        await until_size(api, 3)

        api.store.change(Place("nodebids", "", node), spec={"ownerPresent": False})
        await asyncio.sleep(600 + QUIET_SECONDS)
        ask_for(api, 4)
        await until_size(api, 4)

        assert (ranks_of(api), node_of(api, 1), "ranks" in status_of(api)) == ([0, 1, 2, 3], node, False)


LOST = {
    "it is deleted": lambda api: api.store.remove(pod_place("g-1-2")),
    "its node is gone": lambda api: api.store.remove(Place("nodes", "", node_of(api, 2))),
    "it is evicted": lambda api: set_phase(api, "g-1-2", "Failed", reason="Evicted"),
}


@pytest.mark.parametrize("lose", LOST.values(), ids=LOST)
async def test_gang_goes_on_without_a_member_that_is_lost(lose):
    async with operator_over(*FOUR) as (api, parts):
        await of_four(api)

        lose(api)
        await until(lambda: status_of(api)["size"] == 3)
        await until(lambda: ranks_of(api) == [0, 1, 3])

        assert (status_of(api)["attempt"], is_placed(api), status_of(api).get("restarts")) == (1, True, None)
        assert parts.metric("lockstep_size_changes_total", direction="shrink") == 1


@pytest.mark.parametrize(
    ("spec", "lost"),
    [
        pytest.param({}, 0, id="the first member"),
        pytest.param({"least": 4}, 2, id="fewer are not allowed"),
    ],
)
async def test_gang_is_undone_whole_if_it_can_not_go_on_without_a_member(spec, lost):
    async with operator_over(*FOUR) as (api, _):
        await of_four(api, **{"most": 5, **spec})

        api.store.remove(pod_place(f"g-1-{lost}"))
        await until(lambda: status_of(api)["attempt"] == 2 and is_placed(api))

        assert "PodLost" in event_reasons(api)


async def test_gang_that_has_overrun_gets_another_end_by_a_change_and_may_overrun_that():
    async with operator_over(*FOUR) as (api, _):
        await of_four(api, work={"serialTime": "4h"}, asked=4)
        await until(lambda: condition(api, "g", "Overrunning") == ("True", "RunsLonger"), seconds=7200)

        ask_for(api, 2)
        await until_size(api, 2)

        assert condition(api, "g", "Overrunning") is None
        await until(lambda: condition(api, "g", "Overrunning") == ("True", "RunsLonger"), seconds=7200)


async def test_as_many_members_leave_as_the_sizes_of_the_gang_require():
    async with operator_over(*FOUR) as (api, _):
        manifest = elastic(mode="Members")
        size = {"allowed": [2, 4]}
        await run(api, {**manifest, "spec": {**manifest["spec"], "size": size}})

        api.store.remove(pod_place("g-1-1"))
        await until(lambda: status_of(api)["size"] == 2)
        await until(lambda: ranks_of(api) == [0, 2])

        assert status_of(api)["ranks"] == "0,2"


async def test_gang_goes_on_with_fewer_members_than_its_profile_has_run_times_for():
    async with operator_over(*FOUR) as (api, parts):
        await of_four(api, work={"profile": [{"members": 4, "time": "100h"}]})

        api.store.remove(pod_place("g-1-2"))
        await until(lambda: status_of(api)["size"] == 3)
        await until(lambda: ranks_of(api) == [0, 1, 3])

        assert (status_of(api)["attempt"], "expectedFinish" in status_of(api)) == (1, False)
        await asyncio.sleep(700)
        await until_size(api, 4)
        assert not parts.metric("lockstep_gang_errors_total", stage="follow")


async def test_program_that_fails_is_answered_by_the_failure_policy():
    async with operator_over(*FOUR) as (api, _):
        await of_four(api)

        set_phase(api, "g-1-2", "Failed")
        await until(lambda: condition(api, "g", "Failed") == ("True", "MemberFailed"))


async def test_gang_with_gaps_in_its_ranks_succeeds_with_the_members_that_it_has():
    async with operator_over(*FOUR) as (api, _):
        await of_four(api)
        api.store.remove(pod_place("g-1-1"))
        await until(lambda: ranks_of(api) == [0, 2, 3] and status_of(api)["size"] == 3)

        for rank in (0, 2, 3):
            set_phase(api, f"g-1-{rank}", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))


async def test_launcher_stays_whatever_number_of_workers_leaves_and_joins():
    async with operator_over(*FIVE) as (api, _):
        manifest = with_launcher(asked=5)
        manifest["spec"]["elastic"]["mode"] = "Members"
        await run(api, manifest)
        launcher = next(pod["metadata"]["uid"] for pod in pods_of(api, "g") if pod["metadata"]["name"] == "g-1-0")

        for size in (3, 5):
            await asyncio.sleep(700)
            ask_for(api, size)
            await until_size(api, size)

        assert launcher in {pod["metadata"]["uid"] for pod in pods_of(api, "g")}
        assert (ranks_of(api), status_of(api)["attempt"]) == ([0, 1, 2, 3, 4], 1)


@pytest.mark.parametrize(
    ("kind", "number"), [((PATCH, "gangjobs/status"), 1), ((DELETE, "pods"), 1), ((DELETE, "pods"), 2)]
)
@pytest.mark.parametrize("work", [HOURS, None], ids=["known end", "unknown end"])
async def test_next_process_goes_on_from_every_request(kind, number, work):
    async with api_with(*FOUR) as api:
        async with running_operator(api):
            await of_four(api, work=work, asked=4)
        seen = []

        def stop_there(request):
            if request[:2] == kind:
                seen.append(request)
            return NEVER_ARRIVED if len(seen) >= number and request.is_write else None

        async with running_operator(api):
            api.fault = stop_there
            ask_for(api, 2)
            await until(lambda: len(seen) >= number)
        api.fault = lambda _: None
        async with running_operator(api) as parts:
            await until_size(api, 2)
            assert status_of(api)["attempt"] == 1
            assert parts.state.ledger.assumed == 0
            await run(api, gang("other", size=2), "other")


async def test_work_is_done_at_the_size_that_the_gang_had():
    async with operator_over(*FOUR) as (api, _):
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        await run(api, elastic(mode="Members"))
        await asyncio.sleep(3600)
        free_the_room(api)
        await until(lambda: len(pods_of(api, "g")) == 4)
        run_all(api)
        await until_size(api, 4)
        await asyncio.sleep(3600 + 120)
        ask_for(api, 1)
        await until_size(api, 1)

        # An hour of two members and an hour of four, less the time that a change takes.
        assert float(status_of(api)["workDone"]) == pytest.approx(6 / 400, rel=0.02)
