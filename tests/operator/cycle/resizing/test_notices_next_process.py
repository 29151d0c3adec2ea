"""The next process goes on with a change of which members have notice, wherever the one before it has ended."""

import pytest

from builders.notices import READS
from fake_cluster.api import PATCH
from fake_cluster.elastic import FOUR, HOURS, ask_for, beside_a_blocker, leave_while_it_grows, until_attempt
from fake_cluster.jumping import now, until
from fake_cluster.noticed import answer, until_noticed, until_taken_back, with_notice
from fake_cluster.rig import api_with, bound, gang_place, is_placed, pods_of, running_operator, status_of
from lockstep.api.quantities import epoch_seconds

pytestmark = pytest.mark.asyncio


@pytest.mark.search("kills during a change of size", one_in=4)
@pytest.mark.parametrize(
    ("kind", "number"),
    [
        *[((PATCH, "gangjobs/status"), number) for number in (1, 2, 3)],
        *[((PATCH, "pods"), number) for number in (1, 2)],
    ],
)
@pytest.mark.parametrize("work", [HOURS, None], ids=["known end", "unknown end"])
async def test_next_process_goes_on_waiting_from_every_request(kind, number, work):
    async with api_with(*FOUR) as api:
        async with running_operator(api):
            await beside_a_blocker(api, work=work, pod_spec=READS)
        await leave_while_it_grows(api, kind, number)
        begin = status_of(api).get("next", {}).get("beginsAt")
        async with running_operator(api) as parts:
            if number == 1 or kind == (PATCH, "pods"):
                notice = await until_noticed(api)
                assert begin is None or notice == f"4 {begin}"
            await until(lambda: status_of(api).get("size") == 4 and is_placed(api))
            assert "next" not in status_of(api)
            assert parts.state.ledger.assumed == 0
            if begin is not None:
                assert now() >= epoch_seconds(begin)


async def test_next_process_begins_the_change_for_which_a_member_got_ready_meanwhile():
    async with api_with(*FOUR) as api:
        async with running_operator(api):
            notice, began = await with_notice(api)
        answer(api, notice)
        async with running_operator(api):
            await until_attempt(api, 2)

        assert now() - began < 20
        assert sorted(bound(pods_of(api, "g"))) == ["n1", "n2", "n3", "n4"]


async def test_next_process_takes_back_what_is_left_of_a_dropped_change():
    async with api_with(*FOUR) as api:
        async with running_operator(api):
            notice, _ = await with_notice(api)
            answer(api, notice)
        ask_for(api, 2)
        without = {name: value for name, value in status_of(api).items() if name != "next"}
        api.store.replace(gang_place("g"), {**api.store.get(gang_place("g")), "status": without})
        async with running_operator(api):
            await until_taken_back(api)
