"""Gangs of Jobs that change their size are made anew: a growth is whole or undone, and nothing is forgotten."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.api import REFUSED
from fake_cluster.elastic_jobs import (
    GANG,
    HEAT,
    SMALL,
    SOURCES,
    THIRD,
    create_job,
    fail,
    grown,
    has_size,
    indexed,
    numbers,
    placed,
    running_job,
    said,
    status,
    uids,
)
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import BINDING
from fake_cluster.rig import DEFAULT, api_with, is_placed, running_operator
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

OFTEN = {"lockstep.dev/min-interval": "10s"}
# The reservation, the Job, the binding of each of two pods, and the status that they are bound.
WRITES_OF_GROWTH = 5


def refuse_new_pods(it):
    """Refuse to bind the pods by which the Job grows, which their dry runs have allowed."""
    return REFUSED if (it.verb, it.resource) == ("POST", BINDING) and it.name[:7] in ("heat-4-", "heat-5-") else None


def is_of_two_sizes(api):
    """Whether the Job has six pods, and four of them run."""
    return numbers(api) == (6, 6, "6") and len(placed(api)) == 4


async def until_given_back(api):
    """Let another gang wait for what the Job has grown into, until the Job has its first size again."""
    api.store.create("gangjobs", gang("waits", size=2, cpu="1"))
    await until(lambda: is_placed(api, "waits") and has_size(api, 4), seconds=2400)


async def test_job_whose_gang_goes_in_the_middle_of_a_growth_goes_back_to_the_pods_that_run():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        before, api.fault = uids(api), refuse_new_pods
        api.store.add("nodes", THIRD)
        await until(lambda: is_of_two_sizes(api))
        api.store.remove(GANG)
        await until(lambda: has_size(api, 4), seconds=50)

        assert uids(api) == before
        assert any("created again" in note for _, note in said(api, "SizeChangeDropped"))
        api.fault = lambda _: None
        await until(lambda: has_size(api, 6), seconds=2400)
        await until_given_back(api)
        assert uids(api) == before


@pytest.mark.parametrize("number", range(WRITES_OF_GROWTH))
async def test_growth_is_whole_or_undone_at_whichever_write_the_gang_goes(number):
    async with (
        api_with(*SMALL) as api,
        running_operator(api, sources=SOURCES),
        running_job(api, size=4, annotations=OFTEN),
    ):
        before, left = uids(api), [number]

        def delete_the_gang(it):
            if it.is_write and it.resource != "events" and "heat" in it.name:
                left[0] -= 1
                if left[0] == -1 and api.store.get(GANG) is not None:
                    api.store.remove(GANG)

        api.fault = delete_the_gang
        api.store.add("nodes", THIRD)
        await until(lambda: left[0] < 0)
        await until(lambda: has_size(api, 6), seconds=300)

        assert before <= uids(api)
        await until_given_back(api)
        assert uids(api) == before


async def test_gang_that_is_made_anew_after_a_growth_still_gives_room_back():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), grown(api, THIRD):
        api.store.remove(GANG)
        await until(lambda: status(api).get("size") == 6)
        await until_given_back(api)


async def test_job_of_which_a_pod_was_replaced_after_a_growth_still_gives_room_back():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), grown(api, THIRD):
        fail(api, index=1)
        await until(lambda: not has_size(api, 6))
        await until(lambda: has_size(api, 6))
        await until_given_back(api)


async def test_next_process_finds_a_growth_whose_gang_has_gone():
    async with api_with(*SMALL) as api, indexed(api):
        async with running_operator(api, sources=SOURCES):
            create_job(api, annotations=OFTEN)
            await until(lambda: has_size(api, 4))
            before, api.fault = uids(api), refuse_new_pods
            api.store.add("nodes", THIRD)
            await until(lambda: is_of_two_sizes(api))
        api.store.remove(GANG)
        async with running_operator(api, sources=SOURCES):
            await until(lambda: has_size(api, 4), seconds=50)

        assert uids(api) == before


async def test_job_that_can_not_go_back_at_once_is_asked_again():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.fault = refuse_new_pods
        api.store.add("nodes", THIRD)
        await until(lambda: is_of_two_sizes(api))
        done = len(api.requests)
        api.fault = lambda it: REFUSED if (it.verb, it.resource) == ("PATCH", "jobs") else refuse_new_pods(it)
        api.store.remove(GANG)
        await asyncio.sleep(100)
        assert is_of_two_sizes(api)
        assert len([it for it in api.requests[done:] if (it.verb, it.resource) == ("PATCH", "jobs")]) <= 6
        api.fault = refuse_new_pods
        await until(lambda: has_size(api, 4), seconds=300)


async def test_author_who_changes_the_number_meanwhile_has_the_last_word():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.fault = refuse_new_pods
        api.store.add("nodes", THIRD)
        await until(lambda: is_of_two_sizes(api))
        api.store.remove(GANG)
        api.store.change(HEAT, spec={"parallelism": 5, "completions": 5})
        api.fault = lambda _: None
        await until(lambda: {*placed(api)} == {*range(5)})
        await asyncio.sleep(100)

        assert numbers(api) == (5, 5, "6")


@pytest.mark.parametrize("said_first", ["1", "2", "5", "6", "10000", "many"])
async def test_first_size_that_an_author_writes_keeps_no_other_gang_waiting(said_first):
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), grown(api, THIRD):
        annotations = api.store.get(HEAT)["metadata"]["annotations"]
        assert annotations["lockstep.dev/first-size"] == "4"
        api.store.change(HEAT, metadata={"annotations": {**annotations, "lockstep.dev/first-size": said_first}})
        api.store.remove(GANG)
        await until(lambda: status(api).get("size") == 6)
        api.store.add("nodes", node("n4", cpu="8"))
        api.store.create("gangjobs", gang("whole", size=1, cpu="8"))
        await until(lambda: is_placed(api, "whole"))
        api.store.create("gangjobs", gang("waits", size=1, cpu="1"))
        await asyncio.sleep(1300)

        assert is_placed(api, "waits") == (said_first in ("1", "2", "5"))
        assert numbers(api)[0] == (5 if is_placed(api, "waits") else 6)


async def test_list_of_hosts_comes_back_with_the_next_change_of_size():
    hosts = Place("configmaps", DEFAULT, "job.heat.hosts")
    async with (
        api_with(*SMALL) as api,
        running_operator(api, sources=SOURCES),
        grown(api, THIRD, annotations={"lockstep.dev/hosts": "ConfigMap"}),
    ):
        api.store.remove(GANG)
        api.store.remove(hosts)
        await until(lambda: status(api).get("size") == 6)
        await until_given_back(api)

        assert api.store.get(hosts)["data"]["members"].count("heat-") == 4


async def test_job_of_the_same_name_does_not_take_over_what_the_first_one_had():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.fault = refuse_new_pods
        api.store.add("nodes", THIRD)
        await until(lambda: is_of_two_sizes(api))
        api.store.remove(HEAT)
        api.store.remove(GANG)
        api.fault = lambda _: None
        await until(lambda: not placed(api))
        create_job(api, uid="uid-of-another")
        await until(lambda: has_size(api, 6))

        assert "lockstep.dev/first-size" not in api.store.get(HEAT)["metadata"]["annotations"]
