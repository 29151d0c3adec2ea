"""Members that join a gang while the others run: all of them, or none."""

import asyncio
from itertools import pairwise

import pytest

from builders.served import gang, node
from fake_cluster.api import NEVER_ARRIVED, PATCH, POST, Refusal
from fake_cluster.elastic import (
    FOUR,
    HOURS,
    ask_for,
    beside_a_blocker,
    elastic,
    free_the_room,
    hold_nothing_once_deleted,
    hold_nothing_once_suspended,
    leave_while_it_grows,
    note_of,
    rigid,
    run,
)
from fake_cluster.joining import in_a_join, node_of, ranks_of, run_all, until_size
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    api_with,
    bound,
    come_up,
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

pytestmark = pytest.mark.asyncio

NEW = ("g-1-2", "g-1-3")


async def until_taken_back(api):
    """Wait until no member joins, and the two that run are left."""
    await until(lambda: "next" not in status_of(api) and ranks_of(api) == [0, 1])
    assert (status_of(api)["size"], status_of(api)["attempt"], is_placed(api)) == (2, 1, True)


async def test_members_join_those_that_run_and_count_once_all_of_them_run():
    async with operator_over(*FOUR) as (api, parts):
        await beside_a_blocker(api, mode="Members")
        first = len(api.requests)
        free_the_room(api)
        await until(lambda: len(bound(pods_of(api, "g"))) == 4)
        status = status_of(api)
        assert (status["size"], status["next"]["size"], is_placed(api)) == (2, 4, True)

        await until_size(api, 4)

        status = status_of(api)
        assert (status["attempt"], "next" in status, status["memberChanges"]) == (1, False, 1)
        assert sorted(bound(pods_of(api, "g"))) == ["n1", "n2", "n3", "n4"]
        resources = {"gangjobs/status", "pods", "pods/binding"}
        writes = [one for one in api.requests[first:] if one.is_write and one.resource in resources]
        assert [one[:2] for one in writes if one.name.startswith("g") or not one.name] == [
            (PATCH, "gangjobs/status"),
            *[(POST, "pods")] * 2,
            *[(POST, "pods/binding")] * 2,
            (PATCH, "gangjobs/status"),
        ]
        assert parts.metric("lockstep_size_changes_total", direction="grow") == 1
        assert parts.state.ledger.assumed == 0
        assert note_of(api, "GangChangesSize").startswith(
            "Grows from 2 to 4 members: there is room for 2 more; it ends "
        )
        assert note_of(api, "MembersJoined") == "All new members run: the gang has 4 members now."


async def test_work_that_is_done_before_others_join_counts():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api, mode="Members")
        await asyncio.sleep(3600)
        free_the_room(api)
        await until(lambda: len(bound(pods_of(api, "g"))) == 4)
        await until_size(api, 4)

        # An hour of two members is a half of a percent of 400 hours of one.
        assert float(status_of(api)["workDone"]) == pytest.approx(2 / 400, rel=0.05)


@pytest.mark.parametrize("work", [HOURS, None], ids=["known end", "unknown end"])
async def test_gang_of_any_end_grows_and_shrinks_as_asked_while_its_first_member_runs(work):
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(asked=2, work=work, mode="Members"))
        first = next(pod["metadata"]["uid"] for pod in pods_of(api, "g"))

        for size in (4, 1, 3):
            await asyncio.sleep(700)
            ask_for(api, size)
            await until_size(api, size)
            assert ranks_of(api) == list(range(size))

        assert status_of(api)["attempt"] == 1
        assert first in {pod["metadata"]["uid"] for pod in pods_of(api, "g")}


@pytest.mark.parametrize(
    ("resource", "code"), [("pods", 403), ("pods", 422), ("pods/binding", 409), ("pods/binding", 422)]
)
async def test_no_member_joins_if_one_of_them_is_refused(resource, code):
    async with operator_over(*FOUR) as (api, parts):
        await beside_a_blocker(api, mode="Members")
        uids = {pod["metadata"]["uid"] for pod in pods_of(api, "g")}

        seen = []

        def refuse(request):
            if request[:2] == (POST, resource):
                seen.append(request)
            is_second = request[:2] == (POST, resource) and len(seen) == 2
            return Refusal(code=code, message="no") if is_second else None

        api.fault = refuse
        free_the_room(api)
        await until(lambda: "SizeChangeDropped" in event_reasons(api))
        await until_taken_back(api)

        assert {pod["metadata"]["uid"] for pod in pods_of(api, "g")} == uids
        assert parts.metric("lockstep_size_changes_dropped_total") == 1
        await until(lambda: parts.state.ledger.assumed == 0)
        await run(api, gang("other", size=2), "other")


LOST = {
    "it fails": lambda api: set_phase(api, NEW[1], "Failed"),
    "it is deleted": lambda api: api.store.remove(pod_place(NEW[1])),
    "it has ended at once": lambda api: set_phase(api, NEW[1], "Succeeded"),
    "its node is gone": lambda api: api.store.remove(Place("nodes", "", node_of(api, 3))),
    "another size is asked for": lambda api: ask_for(api, 3),
}


@pytest.mark.parametrize("lose", LOST.values(), ids=LOST)
async def test_members_that_join_are_taken_back_if_one_is_lost_and_the_others_run_on(lose):
    async with operator_over(*FOUR) as (api, parts):
        await in_a_join(api)
        set_phase(api, NEW[0], "Running")

        lose(api)
        await until(lambda: "SizeChangeDropped" in event_reasons(api))
        await until_taken_back(api)

        assert {pod["status"]["phase"] for pod in pods_of(api, "g")} == {"Running"}
        assert status_of(api).get("restarts") is None
        assert parts.state.ledger.assumed == 0


async def test_members_that_never_run_are_taken_back_after_a_while():
    async with operator_over(*FOUR) as (api, _):
        await in_a_join(api)
        set_phase(api, NEW[0], "Running")

        await until(lambda: "SizeChangeDropped" in event_reasons(api))
        await until_taken_back(api)

        assert "not all of its new members ran within 10 min" in note_of(api, "SizeChangeDropped")


@pytest.mark.parametrize("is_rejected", [True, False], ids=["rejected", "never runs"])
async def test_gang_grows_elsewhere_after_a_node_has_not_run_its_new_members(is_rejected):
    async with operator_over(*FOUR, node("n5", cpu="1")) as (api, _):
        await run(api, rigid("blocker", size=3, takes="1000h"), "blocker")
        await run(api, elastic(mode="Members"))
        free_the_room(api)
        await until(lambda: len(bound(pods_of(api, "g"))) == 4)
        bad = node_of(api, 3)
        set_phase(api, NEW[0], "Running")
        if is_rejected:
            set_phase(api, NEW[1], "Failed", reason="OutOfcpu", message="Pod was rejected: no room")
        await until_taken_back(api)

        await until(lambda: len(bound(pods_of(api, "g"))) == 4, seconds=2000)

        assert bad not in bound(pods_of(api, "g"))
        await until_size(api, 4)


async def test_members_that_fail_to_join_again_and_again_are_tried_more_and_more_rarely():
    async with operator_over(*FOUR) as (api, _):
        began = []

        def refuse(request):
            if request[:2] != (POST, "pods/binding") or request.name not in NEW:
                return None
            if not began or now() - began[-1] > 60:
                began.append(now())
            return Refusal(code=422, message="no")

        await beside_a_blocker(api, mode="Members")
        api.fault = refuse
        free_the_room(api)
        await until(lambda: len(began) == 4, seconds=10_000)
        pauses = [later - earlier for earlier, later in pairwise(began)]
        assert pauses == [pytest.approx(seconds, abs=30) for seconds in (1200, 2400, 4800)]

        api.fault = lambda _: None
        await asyncio.sleep(9600)
        await until_size(api, 4)
        assert "failedJoins" not in status_of(api)


async def test_members_that_run_are_lost_while_others_join():
    async with operator_over(*FOUR) as (api, parts):
        await in_a_join(api)

        api.store.remove(pod_place("g-1-1"))
        await until(lambda: status_of(api)["size"] == 1)
        await until(lambda: ranks_of(api) == [0])

        assert (status_of(api)["attempt"], "next" in status_of(api)) == (1, False)
        assert parts.state.ledger.assumed == 0


async def test_gang_is_undone_whole_if_its_first_member_is_lost_while_others_join():
    async with operator_over(*FOUR) as (api, _):
        await in_a_join(api)

        api.store.remove(pod_place("g-1-0"))
        await until(lambda: status_of(api)["attempt"] == 2 and is_placed(api))

        assert len(pods_of(api, "g")) == status_of(api)["size"]


async def test_gang_that_is_suspended_while_members_join_holds_nothing():
    async with operator_over(*FOUR) as (api, parts):
        await in_a_join(api)

        await hold_nothing_once_suspended(api, parts)


async def test_gang_that_is_deleted_while_members_join_holds_nothing():
    async with operator_over(*FOUR) as (api, parts):
        await in_a_join(api)

        await hold_nothing_once_deleted(api, parts)


async def test_gang_whose_members_succeed_while_others_join_has_succeeded():
    async with operator_over(*FOUR) as (api, parts):
        await in_a_join(api)

        for rank in (0, 1):
            set_phase(api, f"g-1-{rank}", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))
        await until(lambda: not [pod for pod in pods_of(api, "g") if pod["status"]["phase"] == "Pending"])

        assert parts.state.ledger.assumed == 0


async def test_room_of_members_that_join_is_no_other_gangs_while_they_do():
    async with operator_over(*FOUR) as (api, _):
        await in_a_join(api)
        api.store.create("gangjobs", gang("other", size=1))
        await asyncio.sleep(60)

        assert not is_placed(api, "other")
        await until_size(api, 4)
        assert not is_placed(api, "other")


@pytest.mark.search("kills during a change of size", one_in=4)
@pytest.mark.parametrize(
    ("kind", "number"),
    [
        *[((PATCH, "gangjobs/status"), number) for number in (1, 2)],
        *[((POST, "pods"), number) for number in (1, 2)],
        *[((POST, "pods/binding"), number) for number in (1, 2)],
    ],
)
@pytest.mark.parametrize("work", [HOURS, None], ids=["known end", "unknown end"])
async def test_next_process_goes_on_from_every_request(kind, number, work):
    async with api_with(*FOUR) as api:
        async with running_operator(api):
            await beside_a_blocker(api, work=work, mode="Members")
        if (kind, number) == ((PATCH, "gangjobs/status"), 2):
            async with running_operator(api):
                free_the_room(api)
                await until(lambda: len(bound(pods_of(api, "g"))) == 4)
        else:
            await leave_while_it_grows(api, kind, number)
        run_all(api)
        async with running_operator(api) as parts:
            await until_size(api, 4)
            assert status_of(api)["attempt"] == 1
            assert parts.state.ledger.assumed == 0


async def test_kubectl_shows_both_sizes_while_members_join():
    async with operator_over(*FOUR) as (api, _):
        await in_a_join(api)

        await until(lambda: status_of(api)["summary"] == "2 more members will join")
        assert (status_of(api)["sizeAndRange"], status_of(api)["state"]) == ("2→4 (1–4)", "Running")


async def test_files_have_the_members_that_are_there_or_join():
    def files():
        return api.store.get(Place("configmaps", "default", "g-hosts"))["data"]

    async with operator_over(*FOUR) as (api, _):
        await in_a_join(api)
        assert (files()["size"], files()["changes"], files()["hosts"].split()[3]) == ("4\n", "1\n", "g-1-3.g")

        set_phase(api, NEW[0], "Failed")
        await until_taken_back(api)
        await until(lambda: files()["size"] == "2\n")
        assert (files()["hosts"], files()["changes"]) == ("g-1-0.g\ng-1-1.g\n", "2\n")


async def test_next_process_writes_the_files_that_the_last_one_did_not():
    async with api_with(*FOUR) as api:
        async with running_operator(api):
            await run(api, elastic(asked=4, mode="Members"))
            api.fault = lambda request: NEVER_ARRIVED if request.resource == "configmaps" and request.is_write else None
            ask_for(api, 2)
            await until(lambda: ranks_of(api) == [0, 1])
        api.fault = lambda _: None
        async with running_operator(api):
            await until(lambda: api.store.get(Place("configmaps", "default", "g-hosts"))["data"]["size"] == "2\n")


async def test_members_that_join_wait_for_each_other_at_their_gates():
    async with operator_over(*FOUR) as (api, _):
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        await run(api, elastic(mode="Members", network={"startBarrier": {"timeout": "5m"}}))
        free_the_room(api)
        await until(lambda: len(bound(pods_of(api, "g"))) == 4)

        def may_go(name):
            return bool(api.store.get(pod_place(name))["metadata"]["annotations"].get("lockstep.dev/go"))

        come_up(api, NEW[0])
        await asyncio.sleep(20)
        assert [may_go(name) for name in NEW] == [False, False]
        come_up(api, NEW[1])
        await until(lambda: all(may_go(name) for name in NEW))
        await until_size(api, 4)
