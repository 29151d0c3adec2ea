"""A promise that holds only if a gang shrinks later holds while this gang starts, or changes its size."""

import asyncio

import pytest

from builders.notices import READS
from fake_cluster.elastic import FOUR, elastic, rigid, run, until_attempt
from fake_cluster.jumping import until
from fake_cluster.rig import is_placed, operator_over, set_phases, status_of

pytestmark = pytest.mark.asyncio


def promises_to(api, name):
    """The promised starts that the gang's status has had, from the first on."""
    found = (it.event["object"] for it in api.store.past if it.resource == "gangjobs")
    plans = [one["status"].get("plan") for one in found if one["metadata"]["name"] == name and "status" in one]
    return list(dict.fromkeys(plan["promisedStart"] for plan in plans if plan and "promisedStart" in plan))


@pytest.mark.parametrize("pod_spec", [READS, None], ids=["with notice", "without"])
async def test_promise_stays_while_the_gang_that_will_shrink_for_it_changes_its_size(pod_spec):
    async with operator_over(*FOUR) as (api, parts):
        await run(api, elastic(pod_spec=pod_spec))
        api.store.create("gangjobs", rigid("waits", size=3, takes="6m", deadline="9000h"))
        await until(lambda: promises_to(api, "waits"))
        await asyncio.sleep(7200)

        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        await until(lambda: is_placed(api, "short"))
        await until_attempt(api, 2)
        await asyncio.sleep(60)
        set_phases(api, "g", "Running")
        await asyncio.sleep(300)

        assert status_of(api)["size"] == 3
        assert len(promises_to(api, "waits")) == 1
        assert parts.metric("lockstep_promises_broken_total", reason="QueueChanged") == 0
