"""Members that a user deletes with a grace period that ends in years: their nodes are given back in an hour."""

import asyncio

import pytest

from builders.served import at, gang, node
from fake_cluster.api import DELETE
from fake_cluster.jumping import now, until
from fake_cluster.rig import condition, is_placed, operator_over, pod_place, pods_of, set_phases
from fake_cluster.store import Place
from lockstep.facts.pods.pod import MOST_GRACE_SECONDS

pytestmark = pytest.mark.asyncio

YEARS = 1e9
# A user's clock may be so wrong.
TOLERANCE = 310


async def delete_for_years(api):
    """Place a gang whose owner then deletes its members, which take no notice."""
    api.store.create("gangjobs", gang("g"))
    await until(lambda: is_placed(api))
    set_phases(api, "g", "Running")
    api.lingers = True
    for pod in pods_of(api, "g"):
        api.store.change(pod_place(pod["metadata"]["name"]), metadata={"deletionTimestamp": at(now() + YEARS)})


def ends(api):
    return [pod["metadata"]["deletionTimestamp"] for pod in pods_of(api, "g")]


async def test_members_of_an_attempt_that_is_undone_are_gone_in_an_hour():
    async with operator_over(node("n1", cpu="2")) as (api, _):
        await delete_for_years(api)

        await until(lambda: max(ends(api)) <= at(now() + MOST_GRACE_SECONDS))

        assert condition(api, "g", "Placed") == ("False", "Undoing")


async def test_members_of_a_gang_that_is_gone_are_gone_in_an_hour():
    async with operator_over(node("n1", cpu="2")) as (api, _):
        await delete_for_years(api)
        api.store.remove(Place("gangjobs", "default", "g"))

        await until(lambda: max(ends(api)) <= at(now() + MOST_GRACE_SECONDS))


async def test_grace_that_is_not_longer_is_left_alone():
    async with operator_over(node("n1", cpu="2")) as (api, _):
        await delete_for_years(api)
        for pod in pods_of(api, "g"):
            api.store.change(pod_place(pod["metadata"]["name"]), metadata={"deletionTimestamp": at(now() + 3_000)})
        before = ends(api)
        first = len(api.requests)

        await asyncio.sleep(600)

        assert ends(api) == before
        assert [one for one in api.requests[first:] if one.verb == DELETE] == []
