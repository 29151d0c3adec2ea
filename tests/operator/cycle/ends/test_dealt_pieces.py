"""How a gang with a dealer ends: by the last pieces, whichever event comes first."""

import asyncio

import pytest

from fake_cluster.dealt import ScriptedDealer, bits, dealt_gang, end_member, reads_of, run_members
from fake_cluster.jumping import until
from fake_cluster.rig import condition, is_placed, operator_over, pods_of, status_of

pytestmark = pytest.mark.asyncio

ALL_DONE = "done 8, failed 0:"
COMPLETE, FAILED = ("True", "Succeeded"), ("True", "PiecesFailed")


async def running(api):
    await until(lambda: is_placed(api))
    run_members(api, *(it["metadata"]["name"] for it in pods_of(api, "g")))
    await until(lambda: status_of(api).get("startedAt"))


def says(api, kind):
    return next(it["message"] for it in status_of(api)["conditions"] if it["type"] == kind)


async def read(parts, states):
    await reads_of(parts).read_all(ScriptedDealer(bits(states)))


async def test_gang_is_complete_by_the_last_words_of_its_dealer_alone():
    async with operator_over(gangs=[dealt_gang()]) as (api, _):
        await running(api)
        end_member(api, "g-1-1")
        end_member(api, "g-1-0", ALL_DONE)

        await until(lambda: condition(api, "g", "Complete") == COMPLETE)
        assert status_of(api)["pieces"] == {"done": 8, "failed": 0}


async def test_gang_is_complete_by_what_was_read_if_its_dealer_left_nothing():
    async with operator_over(gangs=[dealt_gang()]) as (api, parts):
        await running(api)
        await read(parts, "11111111")
        await asyncio.sleep(60)
        assert condition(api, "g", "Complete") != COMPLETE, "members may have more to do than pieces"

        end_member(api, "g-1-1")
        end_member(api, "g-1-0")
        await until(lambda: condition(api, "g", "Complete") == COMPLETE)


async def test_few_failed_pieces_are_allowed_and_named():
    async with operator_over(gangs=[dealt_gang(maxFailedPieces=2)]) as (api, _):
        await running(api)
        end_member(api, "g-1-1")
        end_member(api, "g-1-0", "done 6, failed 2: 3 5")

        await until(lambda: condition(api, "g", "Complete") == COMPLETE)
        assert status_of(api)["pieces"] == {"done": 6, "failed": 2, "firstFailed": [3, 5]}


async def test_too_many_failed_pieces_end_the_gang_at_once():
    async with operator_over(gangs=[dealt_gang(maxFailedPieces=1)]) as (api, parts):
        await running(api)
        await read(parts, "20020000")

        await until(lambda: condition(api, "g", "Failed") == FAILED)
        assert says(api, "Failed") == "2 of 8 pieces failed, and maxFailedPieces allows 1; they are 0, 3."


async def test_too_many_failed_pieces_end_the_gang_the_same_way_in_the_end():
    async with operator_over(gangs=[dealt_gang(maxFailedPieces=1)]) as (api, _):
        await running(api)
        end_member(api, "g-1-1")
        end_member(api, "g-1-0", "done 6, failed 2: 0 3")

        await until(lambda: condition(api, "g", "Failed") == FAILED)
        assert says(api, "Failed") == "2 of 8 pieces failed, and maxFailedPieces allows 1; they are 0, 3."


async def test_members_that_end_before_all_is_done_restart_the_gang_or_fail_it():
    policy = {"failurePolicy": {"maxRestarts": 1}}
    async with operator_over(gangs=[dealt_gang(**policy)]) as (api, _):
        await running(api)
        end_member(api, "g-1-1")
        end_member(api, "g-1-0", "done 5, failed 0:")
        await until(lambda: status_of(api).get("attempt") == 2 and is_placed(api))
        assert status_of(api)["progress"] == "0.625"
        assert status_of(api)["restarts"] == 1

        run_members(api, "g-2-0", "g-2-1")
        end_member(api, "g-2-1")
        end_member(api, "g-2-0", "nonsense")
        await until(lambda: condition(api, "g", "Failed") == ("True", "ReachedMaxRestarts"))
        assert says(api, "Failed").startswith("Rank 0 has succeeded, but 3 of 8 pieces are not known to be done")


@pytest.mark.parametrize("words", ["done 9, failed 0:", "done 9999999, failed 0:", ""])
async def test_last_words_of_more_pieces_than_there_are_count_for_nothing(words):
    async with operator_over(gangs=[dealt_gang()]) as (api, _):
        await running(api)
        end_member(api, "g-1-1")
        end_member(api, "g-1-0", words)

        await until(lambda: condition(api, "g", "Failed") == ("True", "MemberFailed"))
