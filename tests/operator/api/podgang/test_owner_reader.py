"""Owners are read in the version that the API server has, whichever that is now."""

from contextlib import asynccontextmanager

import pytest

from fake_cluster.scripted import Reply, ScriptedServer, reply
from lockstep.api.client.client import KubeClient
from lockstep.api.podgang.owner_reader import OwnerReader
from lockstep.api.podgang.owners import OWNERS
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

GROUP, JOB = OWNERS[Source.SCHEDULING_GROUP], OWNERS[Source.JOB]
HERE = reply(200, {"metadata": {"name": "heat"}})
MISSING = reply(404, {"reason": "NotFound", "message": "not found", "details": {"name": "heat", "kind": "podgroups"}})
# Kubernetes answers in one of these ways for a version that it does not have.
NO_VERSION = reply(404, {"reason": "NotFound", "message": "the server could not find it", "details": {}})
NO_GROUP = Reply(404, b"404 page not found\n", {"Content-Type": "text/plain"})


@asynccontextmanager
async def reader(*script):
    """A reader, and what it has asked of an API server that gave these answers."""
    async with (
        ScriptedServer(*script) as server,
        KubeClient(server.configuration, concurrency=1, observer=lambda *_: None) as client,
    ):
        yield OwnerReader(client), server.asked


def versions(asked):
    return [one.path.split("/")[3] for one in asked]


async def test_version_that_is_there_is_found_and_read_from_then_on():
    async with reader(NO_VERSION, NO_GROUP, HERE, HERE) as (owners, asked):
        found = [await owners.read(GROUP, "team", "heat") for _ in range(2)]

        assert versions(asked) == ["v1beta1", "v1alpha3", "v1alpha2", "v1alpha2"]
        assert {(kind.api_version, answer.is_success) for kind, answer in found} == {
            ("scheduling.k8s.io/v1alpha2", True)
        }


async def test_version_that_goes_is_followed_by_the_next_one():
    async with reader(NO_VERSION, NO_VERSION, HERE, NO_VERSION, HERE, HERE) as (owners, asked):
        for _ in range(3):
            kind, _ = await owners.read(GROUP, "team", "heat")

        assert versions(asked)[3:] == ["v1alpha2", "v1beta1", "v1beta1"]
        assert kind.api_version == "scheduling.k8s.io/v1beta1"


async def test_object_that_is_missing_is_asked_for_in_one_version():
    async with reader(MISSING) as (owners, asked):
        _, answer = await owners.read(GROUP, "team", "heat")

        assert (answer.code, len(asked)) == (404, 1)


async def test_api_that_comes_later_is_found():
    async with reader(*[NO_GROUP] * 3, HERE) as (owners, asked):
        _, before = await owners.read(GROUP, "team", "heat")
        _, after = await owners.read(GROUP, "team", "heat")

        assert (before.code, after.code, len(asked)) == (404, 200, 4)


async def test_kind_of_one_version_is_asked_for_once():
    async with reader(NO_VERSION) as (owners, asked):
        await owners.read(JOB, "team", "heat")

        assert [one.path for one in asked] == ["/apis/batch/v1/namespaces/team/jobs/heat"]
