"""Jobs that may change their size and lose a node: without other room they go on with fewer pods."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.api import Refusal
from fake_cluster.elastic_jobs import (
    HEAT,
    LONG,
    SMALL,
    SOURCES,
    THIRD,
    create_job,
    drain,
    has_size,
    numbers,
    placed,
    running_job,
    said,
    status,
    uids,
)
from fake_cluster.jumping import MIDDAY, until
from fake_cluster.rig import api_with, is_placed, running_operator
from fake_cluster.store import Place
from lockstep.api.quantities import rfc3339

pytestmark = pytest.mark.asyncio

ONES = tuple(node(f"n{number}", cpu="1") for number in (1, 2, 3, 4))


def of_jobs(it):
    """Whether a request changes a Job."""
    return (it.verb, it.resource) == ("PATCH", "jobs")


def node_of(api, index):
    return placed(api)[index]


@pytest.mark.parametrize("index", [0, 3], ids=["the first pods", "the last pods"])
async def test_job_whose_node_is_drained_goes_on_with_the_pods_that_have_room(index):
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        lost = node_of(api, index)
        drain(api, lost)
        await until(lambda: has_size(api, 2))

        assert {*placed(api)} == {0, 1}
        assert lost not in placed(api).values()
        [*_, (_, note)] = said(api, "GangChangesSize")
        assert note == "Shrinks from 4 to 2 members: 2 pods wait, and find no room. The other members continue to run."


async def test_pods_that_find_other_room_are_placed_there_and_the_job_keeps_its_size():
    async with (
        api_with(*SMALL, THIRD) as api,
        running_operator(api, sources=SOURCES),
        running_job(api, size=6, annotations={"lockstep.dev/min-interval": "10s"}),
    ):
        api.store.add("nodes", node("n4", cpu="2"))
        before, lost = uids(api), node_of(api, 2)
        drain(api, lost)
        await until(lambda: has_size(api, 6) and lost not in placed(api).values())

        assert len(uids(api) & before) == 4
        assert said(api, "GangChangesSize") == []


async def test_job_grows_again_when_the_node_is_back():
    async with (
        api_with(*SMALL) as api,
        running_operator(api, sources=SOURCES),
        running_job(api, size=4, annotations={"lockstep.dev/min-interval": "10s"}),
    ):
        lost = node_of(api, 3)
        drain(api, lost)
        await until(lambda: has_size(api, 2))
        api.store.change(Place("nodes", "", lost), spec={"unschedulable": False})
        await until(lambda: has_size(api, 4))


async def test_job_is_expected_to_end_later_with_fewer_pods():
    async with (
        api_with(*SMALL) as api,
        running_operator(api, sources=SOURCES),
        running_job(api, size=4, annotations=LONG),
    ):
        before = status(api)["expectedFinish"]
        drain(api, node_of(api, 3))
        await until(lambda: has_size(api, 2))

        assert status(api)["expectedFinish"] > before


async def test_pods_of_the_job_take_the_room_that_it_gives_up_before_a_gang_that_came_later():
    async with api_with(*ONES) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        await asyncio.sleep(60)
        api.store.create("gangjobs", gang("waits", size=1, cpu="1", creationTimestamp=rfc3339(MIDDAY + 60)))
        await asyncio.sleep(60)
        drain(api, node_of(api, 1))
        await until(lambda: has_size(api, 3))
        await asyncio.sleep(60)

        assert {*placed(api)} == {0, 1, 2}
        assert not is_placed(api, "waits")


@pytest.mark.parametrize(
    ("size", "index", "want"),
    [
        pytest.param(2, 0, (4, {2, 3}), id="it would get the room of the pods that run"),
        pytest.param(2, 3, (2, {0, 1}), id="no pod that runs leaves"),
        pytest.param(9, 0, (2, {0, 1}), id="it never has room"),
    ],
)
async def test_job_behind_a_gang_that_waits_gives_it_no_room_of_pods_that_run(size, index, want):
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.store.create("gangjobs", gang("waits", size=size, cpu="1"))
        drain(api, node_of(api, index))
        await asyncio.sleep(1200)

        assert (numbers(api)[0], {*placed(api)}) == want
        assert not is_placed(api, "waits")


async def test_job_keeps_waiting_if_fewer_pods_run_than_it_needs():
    async with (
        api_with(*ONES) as api,
        running_operator(api, sources=SOURCES),
        running_job(api, size=4, annotations={"lockstep.dev/size": "3-4"}),
    ):
        for index in (2, 3):
            drain(api, node_of(api, index))
        await asyncio.sleep(120)

        assert (numbers(api), {*placed(api)}) == ((4, 4, "4"), {0, 1})
        assert "next" not in status(api)


async def test_job_that_could_not_grow_again_keeps_its_size():
    ports = [{"containerPort": 80, "hostPort": 8080}]
    async with api_with(*ONES) as api, running_operator(api, sources=SOURCES), running_job(api, size=4, ports=ports):
        drain(api, node_of(api, 3))
        await asyncio.sleep(120)

        assert (numbers(api), {*placed(api)}) == ((4, 4, "4"), {0, 1, 2})


async def test_refused_shrink_is_tried_again_after_the_least_time():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.fault = lambda it: Refusal(code=422, message="frozen") if of_jobs(it) else None
        earlier = sum(map(of_jobs, api.requests))
        drain(api, node_of(api, 3))
        await until(lambda: said(api, "SizeChangeDropped"))
        await asyncio.sleep(900)

        assert sum(map(of_jobs, api.requests)) == earlier + 1
        api.fault = lambda _: None
        await until(lambda: has_size(api, 2), seconds=600)


async def test_author_who_changes_the_number_meanwhile_has_the_last_word():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):

        def author_is_first(it):
            if of_jobs(it) and numbers(api)[:2] == (4, 4):
                api.store.change(HEAT, spec={"parallelism": 3, "completions": 3})

        api.fault = author_is_first
        drain(api, node_of(api, 3))
        await until(lambda: said(api, "SizeChangeDropped"))
        await asyncio.sleep(60)

        assert numbers(api) == (3, 3, "4")
        assert "next" not in status(api)


async def test_next_job_of_that_name_has_nothing_to_do_with_the_shrink_of_the_last():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        lost = node_of(api, 3)
        drain(api, lost)
        await until(lambda: "next" in status(api) or numbers(api)[0] == 2)
        api.store.remove(HEAT)
        api.store.change(Place("nodes", "", lost), spec={"unschedulable": False})
        await until(lambda: not placed(api))
        create_job(api, uid="uid-of-next")
        await until(lambda: has_size(api, 4))
        await asyncio.sleep(60)

        assert has_size(api, 4)
