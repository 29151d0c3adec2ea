"""Owners that got a size and are suspended by us: they get another one, or run on with the one they have."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from fake_cluster.elastic_jobs import (
    HEAT,
    SMALL,
    SOURCES,
    THIRD,
    create_job,
    has_size,
    indexed,
    numbers,
    placed,
    running_job,
)
from fake_cluster.jumping import until
from fake_cluster.owners import is_suspended
from fake_cluster.rig import api_with, running_operator
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

MARK = "lockstep.dev/suspended-by"


def lose(api, name):
    """Let this node be lost."""
    taint = {"key": "node.kubernetes.io/out-of-service", "value": "", "effect": "NoExecute"}
    api.store.change(Place("nodes", "", name), spec={"taints": [taint]})


def is_marked(api):
    return MARK in (api.store.get(HEAT)["metadata"].get("labels") or {})


async def test_job_that_begins_anew_gets_the_size_that_has_room():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        lose(api, "n1")
        await until(lambda: has_size(api, 2))

        assert {*placed(api).values()} == {"n2"}


async def test_job_whose_author_takes_the_range_away_meanwhile_is_resumed_with_its_size():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.store.add("nodes", THIRD)
        lose(api, "n1")
        await until(lambda: is_marked(api))
        api.store.annotate(HEAT, {"lockstep.dev/size": None, "lockstep.dev/elastic": None})
        await until(lambda: not is_marked(api))
        await until(lambda: len(placed(api)) == 4)

        assert not is_suspended(api, HEAT)
        assert numbers(api) == (4, 4, "4")


@asynccontextmanager
async def sized_by_an_earlier_version(api, *, suspends):
    """A Job runs with four pods and a mark without a UID, and its author may suspend it. Then another operator runs."""
    async with indexed(api):
        async with running_operator(api, sources=SOURCES):
            create_job(api)
            await until(lambda: has_size(api, 4))
        api.store.annotate(HEAT, {"lockstep.dev/sized-uid": None})
        api.store.change(HEAT, spec={"suspend": suspends})
        async with running_operator(api, sources=SOURCES):
            yield


async def test_job_that_an_earlier_version_has_sized_stays_as_its_author_has_suspended_it():
    async with api_with(*SMALL) as api, sized_by_an_earlier_version(api, suspends=True):
        await asyncio.sleep(120)

        assert is_suspended(api, HEAT)
        assert numbers(api) == (4, 4, "4")


async def test_job_that_an_earlier_version_has_sized_still_changes_its_size():
    async with api_with(*SMALL) as api, sized_by_an_earlier_version(api, suspends=False):
        api.store.add("nodes", THIRD)
        await until(lambda: has_size(api, 6))

        assert api.store.get(HEAT)["metadata"]["annotations"]["lockstep.dev/sized-uid"] == "uid-of-heat"
