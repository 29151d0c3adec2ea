"""Gangs whose members come and go, with gaps in their ranks or several troubles at once."""

import asyncio
from itertools import pairwise, product

import pytest

from builders.served import bid, node
from fake_cluster.api import POST, PUT, Refusal
from fake_cluster.elastic import (
    FIVE,
    FOUR,
    MIN_INTERVAL,
    ask_for,
    beside_a_blocker,
    change_spec,
    elastic,
    free_the_room,
    note_of,
    run,
    until_attempt,
    with_launcher,
)
from fake_cluster.joining import in_a_join, node_of, ranks_of, run_all, until_size
from fake_cluster.jumping import now, until
from fake_cluster.looking import rules
from fake_cluster.rig import (
    api_with,
    condition,
    event_reasons,
    gang_place,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phase,
    status_of,
)
from fake_cluster.store import Place
from lockstep.answers.plan.size_of_run import why_this_size
from lockstep.belief.lost_nodes import OUT_OF_SERVICE

pytestmark = pytest.mark.asyncio

SUCCEEDED = ("True", "Succeeded")


def pods_of_role(api, role):
    return [pod for pod in pods_of(api, "g") if pod["metadata"]["labels"]["lockstep.dev/role"] == role]


@pytest.mark.parametrize("decides", ["launcher", "workers"])
@pytest.mark.parametrize("is_first", [True, False], ids=["launcher first", "workers first"])
async def test_role_decides_on_the_success_of_a_gang_with_gaps_in_its_ranks(is_first, decides):
    async with operator_over(*FIVE) as (api, _):
        await run(api, with_launcher(is_first=is_first, mode="Members", successPolicy={"role": decides}))
        api.store.remove(pod_place(f"g-1-{2 if is_first else 1}"))
        await until_size(api, 4)

        *others, last = pods_of_role(api, decides)
        for pod in others:
            set_phase(api, pod, "Succeeded")
        await asyncio.sleep(30)
        assert condition(api, "g", "Complete")[0] == "False"
        set_phase(api, last, "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == SUCCEEDED)


AT_ONCE = tuple(bid(f"n{number}", onReturn="Evict", gracePeriodSeconds=0) for number in range(1, 5))
DEAD = {"key": OUT_OF_SERVICE, "value": "x", "effect": "NoExecute"}
TROUBLES = {
    "lost": lambda api, rank, _: api.store.remove(pod_place(f"g-1-{rank}")),
    "evicted": lambda api, rank, _: set_phase(api, f"g-1-{rank}", "Failed", reason="Evicted"),
    "owner": lambda api, _, node: api.store.change(Place("nodebids", "", node), spec={"ownerPresent": True}),
    "node": lambda api, _, node: api.store.change(Place("nodes", "", node), spec={"taints": [DEAD]}),
}


@pytest.mark.search("two troubles of members", one_in=4)
@pytest.mark.parametrize(("one", "other"), list(product(TROUBLES, repeat=2)))
async def test_two_members_that_go_before_the_next_process_begins_leave_together(one, other):
    async with api_with(*FOUR, bids=AT_ONCE) as api:
        async with running_operator(api):
            manifest = elastic(mode="Members")
            await run(api, {**manifest, "spec": {**manifest["spec"], "size": {"allowed": [2, 4]}}})
        where = {1: node_of(api, 1), 2: node_of(api, 2)}
        TROUBLES[one](api, 1, where[1])
        TROUBLES[other](api, 2, where[2])
        async with running_operator(api):
            await until(lambda: status_of(api)["size"] == 2)
            await until(lambda: ranks_of(api) == [0, 3])

            assert (status_of(api)["attempt"], status_of(api)["ranks"], is_placed(api)) == (1, "0,3", True)


async def test_program_that_fails_as_its_peer_vanishes_leaves_with_it():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(mode="Members"))

        set_phase(api, "g-1-1", "Failed")
        api.store.remove(pod_place("g-1-3"))
        await until(lambda: ranks_of(api) == [0, 2])

        assert (status_of(api)["attempt"], status_of(api)["size"], is_placed(api)) == (1, 2, True)


NO_LONGER_ALLOWED = {
    "a smaller range": {"size": {"min": 1, "max": 3}},
    "other sizes": {"size": {"allowed": [1, 2, 3]}},
}


@pytest.mark.parametrize("spec", NO_LONGER_ALLOWED.values(), ids=NO_LONGER_ALLOWED)
async def test_members_that_join_at_a_size_that_is_no_longer_allowed_are_taken_back_and_files_say_so(spec):
    async with operator_over(*FOUR) as (api, parts):
        await in_a_join(api)

        change_spec(api, spec)
        await until(lambda: "SizeChangeDropped" in event_reasons(api))
        await until(lambda: ranks_of(api) == [0, 1])

        status = status_of(api)
        assert (status["size"], "next" in status, status["memberChanges"]) == (2, False, 2)
        assert "the spec no longer allows that size" in note_of(api, "SizeChangeDropped")
        assert parts.state.ledger.assumed == 0


async def test_status_in_which_another_writer_moved_the_members_costs_one_change_in_each_interval():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api, mode="Members")
        status = status_of(api)
        api.store.change(gang_place("g"), status={**status, "members": [{"node": "n3", "count": 2}]})
        free_the_room(api)

        await asyncio.sleep(2 * MIN_INTERVAL)

        assert status_of(api)["memberChanges"] <= 2 * 3


async def test_gang_that_left_a_pod_on_a_dead_node_in_an_earlier_attempt_changes_its_size():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic())
        api.lingers = True
        api.store.change(Place("nodes", "", "n4"), spec={"taints": [DEAD]})
        await until(lambda: any("deletionTimestamp" in pod["metadata"] for pod in pods_of(api, "g")))
        for pod in pods_of(api, "g"):
            if pod["spec"]["nodeName"] != "n4":
                api.store.remove(pod_place(pod["metadata"]["name"]))
        await until(lambda: status_of(api).get("attempt") == 2 and is_placed(api))
        api.lingers = False
        run_all(api)

        await asyncio.sleep(MIN_INTERVAL + 1)
        ask_for(api, 2)

        await until_attempt(api, 3)
        assert (status_of(api)["size"], len(pods_of(api, "g"))) == (2, 3)


async def test_gang_keeps_its_size_while_a_pod_that_left_it_is_still_there_and_says_so():
    async with operator_over(*FOUR, node("n5", cpu="1")) as (api, parts):
        await run(api, elastic(mode="Members", asked=4, most=5))
        api.lingers = True
        set_phase(api, "g-1-3", "Failed", reason="Evicted")
        await until(lambda: status_of(api)["size"] == 3)

        await asyncio.sleep(MIN_INTERVAL + 60)
        gang = parts.state.gangs[("default", "g")]
        why = why_this_size(parts.state, rules(), gang, now())

        assert why == "It keeps its size: members that have left it are not gone yet."
        assert (status_of(api)["size"], "next" in status_of(api)) == (3, False)

        api.store.remove(pod_place("g-1-3"))
        await until_size(api, 4)


async def test_files_have_the_members_of_the_last_change_though_one_before_is_written_late():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(mode="Members"))
        begun = now()
        api.fault = lambda one: Refusal(code=409) if one[:2] == (PUT, "configmaps") and now() < begun + 1 else None
        for rank in (3, 2):
            api.store.remove(pod_place(f"g-1-{rank}"))
            await asyncio.sleep(0.3)
        await asyncio.sleep(60)

        files = api.store.get(Place("configmaps", "default", "g-hosts"))["data"]
        assert (files["hosts"].split(), files["changes"]) == (["g-1-0.g", "g-1-1.g"], "2\n")


async def test_files_whose_service_is_refused_are_written_again_after_pauses_that_double():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(mode="Members"))
        written_at = []

        def fault(request):
            if request[:2] != (POST, "services"):
                return None
            written_at.append(now())
            return Refusal(code=403)

        api.fault = fault
        api.store.remove(pod_place("g-1-3"))
        await until(lambda: len(written_at) == 4)

        pauses = [after - before for before, after in pairwise(written_at)]
        assert pauses == pytest.approx([1, 2, 4], abs=0.3)


async def test_members_that_join_are_taken_back_if_the_mode_of_the_gang_changes():
    async with operator_over(*FOUR) as (api, parts):
        await in_a_join(api)

        change_spec(api, {"elastic": {"mode": "Restart", "restartTime": "2m", "minInterval": "10m"}})
        await until_attempt(api, 2)

        assert (len(pods_of(api, "g")), "next" in status_of(api), parts.state.ledger.assumed) == (4, False, 0)


async def test_number_of_changes_that_another_writer_made_the_largest_begins_again():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(mode="Members"))
        api.store.change(gang_place("g"), status={**status_of(api), "memberChanges": 2**31 - 1})

        api.store.remove(pod_place("g-1-3"))
        await until(lambda: status_of(api)["size"] == 3)

        assert status_of(api)["memberChanges"] == 1
