"""What the metrics say of changes of size: why they were decided, what they cost, and whether gangs end as expected."""

import asyncio

import pytest

from fake_cluster.elastic import FOUR, ask_for, beside_a_blocker, elastic, free_the_room, grown, run, until_attempt
from fake_cluster.joining import until_size
from fake_cluster.jumping import until
from fake_cluster.rig import condition, operator_over, pod_place, pods_of, set_phases, status_of
from lockstep.api.quantities import epoch_seconds

pytestmark = pytest.mark.asyncio


def decided(parts):
    """How many changes were decided for each reason."""
    families = parts.metrics.registry.collect()
    samples = [
        one for family in families for one in family.samples if one.name == "lockstep_size_changes_decided_total"
    ]
    return {one.labels["reason"]: one.value for one in samples if one.value}


async def test_change_counts_by_its_reason_with_its_time_and_the_work_of_its_members():
    async with operator_over(*FOUR) as (api, parts):
        seconds = await grown(api, takes=300)

        assert decided(parts) == {"RoomFree": 1}
        assert seconds >= 300
        assert parts.metric("lockstep_size_change_seconds_sum") == seconds
        assert parts.metric("lockstep_size_change_member_seconds_total") == 4 * seconds


async def test_size_that_is_asked_for_and_members_that_leave_have_their_own_reasons():
    async with operator_over(*FOUR) as (api, parts):
        await run(api, elastic(asked=2, mode="Members"))
        await asyncio.sleep(700)
        ask_for(api, 4)
        await until_size(api, 4)
        ask_for(api, None)
        api.store.remove(pod_place(pods_of(api, "g")[-1]["metadata"]["name"]))
        await until(lambda: decided(parts).get("MembersLeft"))

        assert decided(parts) == {"Asked": 1, "MembersLeft": 1}
        assert parts.metric("lockstep_size_change_seconds_count") == 1
        assert parts.metric("lockstep_size_change_member_seconds_total") == 0, "the others worked on"


@pytest.mark.parametrize("share", [1, 2])
async def test_end_is_compared_with_the_one_that_was_expected_at_the_last_change(share):
    async with operator_over(*FOUR) as (api, parts):
        await beside_a_blocker(api, work={"serialTime": "20h"})
        free_the_room(api)
        await until_attempt(api, 2)
        set_phases(api, "g", "Running")
        status = status_of(api)
        expected = epoch_seconds(status["expectedFinish"]) - epoch_seconds(status["resizedAt"])
        await asyncio.sleep(share * expected)
        set_phases(api, "g", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))

        assert parts.metric("lockstep_size_change_end_ratio_sum") == pytest.approx(share, rel=0.01)


async def test_gang_that_changed_no_size_says_nothing_of_changes():
    async with operator_over(*FOUR) as (api, parts):
        await run(api, elastic(least=4, most=4 + 1))
        set_phases(api, "g", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))

        assert decided(parts) == {}
        assert parts.metric("lockstep_size_change_end_ratio_count") == 0
        assert parts.metric("lockstep_size_change_seconds_count") == 0
