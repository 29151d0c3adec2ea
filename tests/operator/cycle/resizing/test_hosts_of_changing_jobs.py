"""Pods of a Job that changes its size read which others there are: the list follows each change."""

import pytest

from builders.served import gang, node
from fake_cluster.api import NEVER_ARRIVED, REFUSED, Refusal
from fake_cluster.elastic_jobs import SMALL, SOURCES, create_job, grown, has_size, indexed, placed, running_job, status
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import BINDING
from fake_cluster.rig import DEFAULT, api_with, is_placed, running_operator
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

LIST = Place("configmaps", DEFAULT, "job.heat.hosts")
WANTED = {"lockstep.dev/hosts": "ConfigMap"}
THIRD = node("n3", cpu="2")


def listed(api):
    """The rank and the node of each pod in the list."""
    members = [line.split() for line in api.store.get(LIST)["data"]["members"].splitlines()]
    return {int(rank): where for rank, _, where in members}


async def test_new_pods_are_listed_before_the_first_of_them_is_bound():
    async with (
        api_with(*SMALL) as api,
        running_operator(api, sources=SOURCES),
        running_job(api, size=4, annotations=WANTED),
    ):
        assert listed(api) == placed(api)
        done = len(api.writes)
        api.store.add("nodes", THIRD)
        await until(lambda: has_size(api, 6))

        assert listed(api) == placed(api)
        kinds = [it.resource for it in api.writes[done:] if it.resource in ("configmaps", BINDING)]
        assert kinds == ["configmaps", BINDING, BINDING]


async def shrink(api, *, seconds=1200):
    """Let another gang wait for what the Job has grown into, until the Job has given it back."""
    api.store.create("gangjobs", gang("waits", size=2, cpu="1"))
    await until(lambda: is_placed(api, "waits") and has_size(api, 4), seconds=seconds)


async def test_pods_that_have_left_are_not_listed_any_more():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), grown(api, THIRD, annotations=WANTED):
        await shrink(api)

        assert listed(api) == placed(api)


async def test_pods_of_a_growth_that_failed_are_not_listed_any_more():
    def refuse_the_last(it):
        return REFUSED if (it.verb, it.resource, it.name[:7]) == ("POST", BINDING, "heat-5-") else None

    async with (
        api_with(*SMALL) as api,
        running_operator(api, sources=SOURCES),
        running_job(api, size=4, annotations=WANTED),
    ):
        api.fault = refuse_the_last
        api.store.add("nodes", THIRD)
        await until(lambda: len(listed(api)) == 6)
        await until(lambda: has_size(api, 4), seconds=300)

        assert listed(api) == placed(api)


async def test_list_that_can_not_be_written_keeps_no_change_from_its_end():
    frozen = Refusal(code=422, message="frozen")
    async with (
        api_with(*SMALL) as api,
        running_operator(api, sources=SOURCES),
        grown(api, THIRD, annotations=WANTED),
    ):
        api.fault = lambda it: frozen if (it.verb, it.resource) == ("PUT", "configmaps") else None
        await shrink(api)

        assert len(listed(api)) == 6
        [placed_says] = [one["message"] for one in status(api)["conditions"] if one["type"] == "Placed"]
        assert placed_says.startswith("4 pods of the Gang are on nodes. The list of its hosts can't be written: ")
        assert [it.verb for it in api.writes if it.resource == "configmaps"].count("PUT") <= 10


async def test_next_process_writes_the_list_that_this_one_could_not():
    async with api_with(*SMALL) as api, indexed(api):
        async with running_operator(api, sources=SOURCES):
            create_job(api, annotations=WANTED)
            await until(lambda: has_size(api, 4))
            api.store.add("nodes", THIRD)
            await until(lambda: has_size(api, 6))
            api.fault = lambda it: NEVER_ARRIVED if (it.verb, it.resource) == ("PUT", "configmaps") else None
            api.store.create("gangjobs", gang("waits", size=2, cpu="1"))
            await until(lambda: len(placed(api)) == 4 and is_placed(api, "waits"), seconds=1200)
        assert status(api)["next"]["size"] == 4
        api.fault = lambda _: None
        async with running_operator(api, sources=SOURCES):
            await until(lambda: has_size(api, 4))

        assert listed(api) == placed(api)
