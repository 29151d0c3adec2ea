"""The rights that sources need: asked for at the start, waited for a moment, and said where they are missing."""

import logging
from contextlib import asynccontextmanager

import orjson
import pytest

from fake_cluster.jumping import now
from fake_cluster.scripted import ScriptedServer, reply, status
from lockstep.api.client.client import KubeClient
from lockstep.api.client.rights import Rights
from lockstep.api.podgang.owners import OWNERS
from lockstep.facts.gang.source import Source
from lockstep.process.start.source_rights import check_source_rights, needs_of

pytestmark = pytest.mark.asyncio

ALLOWED, DENIED = (reply(201, {"status": {"allowed": allowed}}) for allowed in (True, False))
NEEDS = 4


@asynccontextmanager
async def checked(*script, sources=(Source.PODS,)):
    """The rights after a check to which the API server gave these answers, and what it was asked."""
    rights = Rights()
    async with (
        ScriptedServer(*script) as server,
        KubeClient(server.configuration, concurrency=1, observer=lambda *_: None, rights=rights) as client,
    ):
        await check_source_rights(client, rights, sources)
        yield rights, server.asked


async def test_without_sources_nothing_is_asked():
    async with checked(sources=()) as (rights, asked):
        assert (rights.denied, asked) == ([], [])


async def test_pods_need_to_read_gangs_and_to_write_their_statuses():
    async with checked(*[ALLOWED] * NEEDS) as (rights, asked):
        wanted = [orjson.loads(one.body)["spec"]["resourceAttributes"] for one in asked]

    assert {one.path for one in asked} == {"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"}
    assert {one["group"] for one in wanted} == {"lockstep.dev"}
    assert [(one["verb"], one["resource"], one["subresource"]) for one in wanted] == [
        ("get", "gangs", ""),
        ("list", "gangs", ""),
        ("watch", "gangs", ""),
        ("patch", "gangs", "status"),
    ]
    assert rights.denied == []


async def test_source_that_makes_gangs_needs_to_write_them_and_to_read_its_owners():
    async with checked(*[ALLOWED] * 7, sources=(Source.JOB_SET,)) as (rights, asked):
        wanted = [orjson.loads(one.body)["spec"]["resourceAttributes"] for one in asked]

    assert [(one["verb"], one["group"], one["resource"], one["subresource"]) for one in wanted] == [
        *((verb, "lockstep.dev", "gangs", "") for verb in ("get", "list", "watch", "create", "patch")),
        ("patch", "lockstep.dev", "gangs", "status"),
        ("get", "jobset.x-k8s.io", "jobsets", ""),
    ]
    assert rights.denied == []


async def test_single_pods_need_no_more_than_to_make_gangs():
    async with checked(*[ALLOWED] * 6, sources=(Source.SINGLE,)) as (rights, asked):
        assert (rights.denied, len(asked)) == ([], 6)


@pytest.mark.parametrize("source", sorted(one for one, kind in OWNERS.items() if kind.group))
async def test_right_to_read_owners_that_is_missing_is_said_with_the_manifest_that_has_it(source, caplog):
    needs = [str(one.need) for one in needs_of((source,))][6:]
    async with checked(*[ALLOWED] * 6, *[DENIED] * 25 * len(needs), sources=(source,)) as (rights, _):
        assert [str(need) for need in rights.denied] == needs
        assert f"get {OWNERS[source].resource} in the whole cluster" in needs

    assert "apply operator/rbac-sources.yaml" in caplog.text


async def test_right_that_comes_a_moment_later_is_waited_for():
    begun = now()

    async with checked(*[ALLOWED] * 2, *[DENIED] * 2, ALLOWED, DENIED, ALLOWED) as (rights, asked):
        assert (rights.denied, len(asked)) == ([], 7)

    assert now() - begun == pytest.approx(0.4, abs=0.1)


async def test_right_that_stays_missing_is_said_with_the_manifest_that_has_it(caplog):
    begun = now()

    async with checked(*[ALLOWED] * 3, *[DENIED] * 25) as (rights, _):
        assert [str(need) for need in rights.denied] == ["patch gangs/status in the whole cluster"]

    assert now() - begun == pytest.approx(5.0, abs=0.3)
    [said] = [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR]
    assert said.startswith(
        "the API server forbids this process to patch gangs/status in the whole cluster: --sources needs this right; "
    )
    assert "apply operator/rbac-sources.yaml" in said


async def test_review_that_is_refused_says_nothing_of_the_rights():
    async with checked(*[status(422, "no")] * NEEDS) as (rights, _):
        assert rights.denied == []


async def test_api_server_that_falls_silent_leaves_the_rights_unknown():
    async with checked(*[status(503)] * 6) as (rights, _):
        assert rights.denied == []
