"""Pods that come while others of their Gang run: room is kept for them."""

import asyncio

import pytest

from builders.served import gang, metadata, node, pod
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import add_pods, bound, create, is_placed, message
from fake_cluster.rig import DEFAULT, api_with, operator_over, running_operator
from fake_cluster.rig import is_placed as is_job_placed
from lockstep.belief.gangs.age import ROOM_KEPT_SECONDS

pytestmark = pytest.mark.asyncio

# Room for four pods of a CPU.
NODES = (node("n1", cpu="2"), node("n2", cpu="2"))


def later(pods, cpu="1"):
    """What the spec of a Gang says of pods that come later."""
    return [{"pods": pods, "resources": {"requests": {"cpu": cpu}}}]


def create_other(api, *names):
    """Create a second Gang, with two pods that come later, and pods of it."""
    about = metadata("other", namespace=DEFAULT, generation=1)
    api.store.create("gangs", {"metadata": about, "spec": {"size": {"min": len(names)}, "later": later(2)}})
    for name in names:
        labels = {"lockstep.dev/member-of": "other"}
        api.store.create("pods", pod(name, cpu="1", spec={"schedulerName": "lockstep"}, labels=labels))


def names(api):
    """The names of the pods on nodes."""
    return {it["metadata"]["name"] for it in bound(api)}


async def test_two_gangs_that_come_in_steps_do_not_wait_for_each_other():
    async with operator_over(*NODES) as (api, _):
        create(api, "a", cpu="1", later=later(2))
        create_other(api, "x")
        await until(lambda: is_placed(api))
        await asyncio.sleep(60)
        assert names(api) == {"a"}

        add_pods(api, "b", cpu="1")
        await asyncio.sleep(60)
        assert names(api) == {"a", "b"}

        add_pods(api, "c", cpu="1")
        await until(lambda: names(api) == {"a", "b", "c"})
        await asyncio.sleep(60)
        assert names(api) == {"a", "b", "c"}


async def test_pods_for_which_room_was_kept_are_before_those_that_have_waited_for_longer():
    """Room for five: the second gang would fit beside the first pod of the first one, and did not beside all."""
    async with operator_over(*NODES, node("n3", cpu="1")) as (api, _):
        create(api, "a", cpu="1", later=later(2))
        create_other(api, "x")
        await until(lambda: is_placed(api))
        await asyncio.sleep(60)
        add_pods(api, "b", "c", cpu="1")

        await until(lambda: names(api) == {"a", "b", "c"})
        await asyncio.sleep(60)
        assert names(api) == {"a", "b", "c"}


async def test_first_pods_wait_until_there_is_room_for_those_that_come_later():
    async with operator_over(*NODES) as (api, _):
        create(api, "a", cpu="1", later=later(1, cpu="3"))
        await asyncio.sleep(60)
        assert names(api) == set()

        api.store.create("nodes", node("n3", cpu="3"))
        await until(lambda: is_placed(api))


async def test_room_is_kept_for_a_while_and_no_longer():
    async with operator_over(*NODES) as (api, _):
        create(api, "a", cpu="1", later=later(3))
        await until(lambda: is_placed(api))
        api.store.create("gangjobs", gang("cold", size=1))
        await asyncio.sleep(ROOM_KEPT_SECONDS - 60)
        assert not is_job_placed(api, "cold")
        assert "It expects 3 more, and Lockstep keeps nodes free" in message(api, "Planned")

        await asyncio.sleep(120)
        assert is_job_placed(api, "cold")


async def test_room_is_kept_by_the_next_process_too():
    async with api_with(*NODES) as api:
        create(api, "a", cpu="1", later=later(3))
        async with running_operator(api):
            await until(lambda: is_placed(api))
        api.store.create("gangjobs", gang("cold", size=1))
        async with running_operator(api):
            await asyncio.sleep(60)

        assert not is_job_placed(api, "cold")


async def test_room_is_not_kept_beyond_what_a_quota_allows():
    async with operator_over(*NODES) as (api, _):
        create(api, "a", cpu="1", later=later(3))
        await until(lambda: is_placed(api))
        amounts = {"hard": {"requests.cpu": "3"}, "used": {"requests.cpu": "1"}}
        about = metadata("small", namespace=DEFAULT)
        api.store.create("resourcequotas", {"metadata": about, "spec": {"hard": amounts["hard"]}, "status": amounts})
        api.store.create("gangjobs", gang("cold", size=1))

        await until(lambda: is_job_placed(api, "cold"))


async def test_room_is_free_once_all_pods_have_come():
    async with operator_over(*NODES) as (api, _):
        create(api, "a", cpu="1", later=later(2))
        await until(lambda: is_placed(api))
        add_pods(api, "b", "c", cpu="1")
        await until(lambda: names(api) == {"a", "b", "c"})
        api.store.create("gangjobs", gang("cold", size=1))

        await until(lambda: is_job_placed(api, "cold"))
