"""A gang that is evicted while members join it: none of them is bound any more."""

import asyncio

import pytest

from builders.served import gang
from fake_cluster.api import POST, Refusal
from fake_cluster.elastic import FOUR, beside_a_blocker, free_the_room
from fake_cluster.giving_way import create_classes
from fake_cluster.jumping import until
from fake_cluster.rig import bound, condition, operator_over, pods_of

pytestmark = pytest.mark.asyncio


async def test_members_that_join_an_evicted_gang_are_not_bound():
    async with operator_over(*FOUR) as (api, _):
        create_classes(api)
        await beside_a_blocker(api, mode="Members")
        api.lingers = True
        tried = []

        def busy(request):
            if request[:2] == (POST, "pods"):
                tried.append(request)
                return Refusal(code=500)
            return None

        api.fault = busy
        free_the_room(api)
        await until(lambda: tried)
        api.store.create("gangjobs", gang("hot", size=4, cpu="1", spec={"priorityClassName": "urgent"}))
        await until(lambda: condition(api, "g", "Placed") == ("False", "Undoing"))
        api.fault = lambda _: None
        api.requests.clear()
        await asyncio.sleep(20)

        assert len(bound(pods_of(api, "g"))) == 2
        assert [one for one in api.requests if one.resource == "pods/binding" and one.name.startswith("g-")] == []
