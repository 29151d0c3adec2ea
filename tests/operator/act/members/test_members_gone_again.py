"""Members that are gone before the status says that all are bound: they may have run, so the attempt is over."""

import pytest

from builders.served import gang
from fake_cluster.api import NEVER_ARRIVED, PATCH
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    bound,
    is_placed,
    pod_place,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)

pytestmark = pytest.mark.asyncio


async def test_member_that_is_gone_before_the_gang_is_placed_is_not_made_again_in_the_same_attempt():
    async with api_with(gangs=[gang("g")]) as api:
        api.fault = lambda request: (
            NEVER_ARRIVED if request[:2] == (PATCH, "gangjobs/status") and len(bound(pods_of(api, "g"))) == 2 else None
        )
        async with running_operator(api):
            await until(lambda: len(bound(pods_of(api, "g"))) == 2)
            set_phases(api, "g", "Running")
            api.store.remove(pod_place("g-1-1"))
            api.fault = lambda _: None
            await until(lambda: is_placed(api))

        assert {it["metadata"]["name"] for it in pods_of(api, "g")} == {"g-2-0", "g-2-1"}
        assert status_of(api)["attempt"] == 2


async def test_next_process_does_not_make_a_member_again_that_was_gone_before_the_gang_was_placed():
    async with api_with(gangs=[gang("g")]) as api:
        api.fault = lambda request: (
            NEVER_ARRIVED if request[:2] == (PATCH, "gangjobs/status") and len(bound(pods_of(api, "g"))) == 2 else None
        )
        async with running_operator(api):
            await until(lambda: len(bound(pods_of(api, "g"))) == 2)
        set_phases(api, "g", "Running")
        api.store.remove(pod_place("g-1-1"))
        api.fault = lambda _: None
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert {it["metadata"]["name"] for it in pods_of(api, "g")} == {"g-2-0", "g-2-1"}
