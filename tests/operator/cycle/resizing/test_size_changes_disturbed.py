"""What may come between when a gang changes its size: from outside, and where the operator ends."""

import asyncio

import pytest

from builders.served import gang, priority_class
from fake_cluster.api import DELETE, PATCH, POST
from fake_cluster.elastic import (
    FOUR,
    HOURS,
    beside_a_blocker,
    end_grace,
    free_the_room,
    hold_nothing_once_deleted,
    hold_nothing_once_suspended,
    in_a_long_change,
    leave_while_it_grows,
    note_of,
    suspend,
    until_attempt,
)
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    bound,
    condition,
    is_placed,
    operator_over,
    pods_of,
    running_operator,
    set_phases,
    status_of,
    wall,
)
from fake_cluster.store import Place
from lockstep.api.quantities import epoch_seconds

pytestmark = pytest.mark.asyncio


async def test_room_of_the_next_size_is_kept_while_members_take_their_grace():
    async with operator_over(*FOUR) as (api, _):
        await in_a_long_change(api)

        api.store.create("gangjobs", gang("other", size=1))
        await asyncio.sleep(20)

        assert not is_placed(api, "other")
        assert condition(api, "g", "Placed") == ("False", "Undoing")
        end_grace(api)
        await until_attempt(api, 2)
        assert status_of(api).get("size") == 4


async def test_members_that_succeed_as_the_change_begins_end_the_gang():
    async with operator_over(*FOUR) as (api, _):
        await beside_a_blocker(api)
        set_phases(api, "g", "Running")

        def end_first(request):
            if request[:2] == (DELETE, "pods") and pods_of(api, "g")[0]["status"]["phase"] == "Running":
                set_phases(api, "g", "Succeeded")

        api.fault = end_first
        free_the_room(api)
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))

        assert status_of(api)["attempt"] == 1
        assert "next" not in status_of(api)


async def test_gang_that_is_suspended_in_the_middle_of_a_change_holds_nothing():
    async with operator_over(*FOUR) as (api, parts):
        await in_a_long_change(api)

        await hold_nothing_once_suspended(api, parts, then=end_grace)


async def test_gang_that_is_suspended_in_a_change_gives_the_next_room_back_at_once():
    async with operator_over(*FOUR) as (api, _):
        await in_a_long_change(api)
        suspend(api)

        api.store.create("gangjobs", gang("other", size=2))
        await until(lambda: is_placed(api, "other"))

        assert len(pods_of(api, "g")) == 2


async def test_gang_that_is_deleted_in_the_middle_of_a_change_holds_nothing():
    async with operator_over(*FOUR) as (api, parts):
        await in_a_long_change(api)

        await hold_nothing_once_deleted(api, parts, then=end_grace)


async def test_change_is_dropped_if_a_node_goes_meanwhile_and_the_gang_is_planned_again():
    async with operator_over(*FOUR) as (api, parts):
        await in_a_long_change(api)

        api.store.remove(Place("nodes", "", "n4"))
        end_grace(api)
        await until_attempt(api, 2)

        assert (status_of(api)["size"], sorted(bound(pods_of(api, "g")))) == (3, ["n1", "n2", "n3"])
        assert parts.metric("lockstep_size_changes_dropped_total") == 1
        note = note_of(api, "SizeChangeDropped")
        assert "there is no node n4" in note


async def test_gang_ends_as_much_later_as_its_change_takes():
    async with operator_over(*FOUR) as (api, _):
        await in_a_long_change(api)

        await asyncio.sleep(36000)
        end_grace(api)
        await until_attempt(api, 2)

        # Four members take 100 hours for the work of 400 hours.
        run_time = epoch_seconds(status_of(api)["expectedFinish"]) - wall()
        assert run_time == pytest.approx(100 * 3600, rel=0.001)


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


@pytest.mark.search("kills during a change of size", one_in=4)
@pytest.mark.parametrize(
    ("kind", "number"),
    [
        *[((PATCH, "gangjobs/status"), number) for number in (1, 2, 3, 4)],
        *[((DELETE, "pods"), number) for number in (1, 2)],
        *[((POST, "pods"), number) for number in (1, 2, 4)],
        *[((POST, "pods/binding"), number) for number in (1, 4)],
    ],
)
@pytest.mark.parametrize("work", [HOURS, None], ids=["known end", "unknown end"])
async def test_next_process_goes_on_with_a_change_from_every_request(kind, number, work):
    async with api_with(*FOUR) as api:
        async with running_operator(api):
            await beside_a_blocker(api, work=work)
        await leave_while_it_grows(api, kind, number)
        async with running_operator(api) as parts:
            await until(lambda: status_of(api).get("size") == 4 and is_placed(api))
            assert len(pods_of(api, "g")) == 4
            assert "next" not in status_of(api)
            assert parts.state.ledger.assumed == 0
