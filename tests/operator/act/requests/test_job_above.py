"""A PodGroup that a Job controls is read as its Job wants it."""

from contextlib import asynccontextmanager

import pytest

from fake_cluster.scripted import ScriptedServer, reply, status
from lockstep.act.requests.job_above import as_its_job_wants
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.podgang.made_gang import made_parts
from lockstep.api.podgang.owners import OWNERS
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

SOURCES = frozenset({Source.JOB, Source.SCHEDULING_GROUP})
JOB = {"apiVersion": "batch/v1", "kind": "Job", "name": "heat", "uid": "u1", "controller": True}
BASIC, GANG = {"basic": {}}, {"gang": {"minCount": 2}}


def group(policy=BASIC, owner=JOB):
    """Describe a PodGroup, as the controller of Jobs makes it."""
    metadata = {"name": "heat-x", "namespace": "team", "uid": "g1", "ownerReferences": [owner]}
    return {"metadata": metadata, "spec": {"schedulingPolicy": policy}}


def job(uid="u1", status=None, **spec):
    """Answer with a Job of four pods at once."""
    return reply(200, {"metadata": {"uid": uid}, "spec": {"parallelism": 4, **spec}, "status": status or {}})


@asynccontextmanager
async def client(*script):
    """A client of an API server that gives these answers."""
    async with (
        ScriptedServer(*script) as server,
        KubeClient(server.configuration, concurrency=1, observer=lambda *_: None) as client,
    ):
        yield client


async def policy_of(answer, asked=None, sources=SOURCES):
    async with client(answer) as api:
        return (await as_its_job_wants(api, sources, asked or group()))["spec"]["schedulingPolicy"]


@pytest.mark.parametrize(
    ("answer", "want"),
    [
        pytest.param(job(), 4, id="all pods at once"),
        pytest.param(job(completions=3), 3, id="fewer completions"),
        pytest.param(job(completions=9, status={"succeeded": 7}), 2, id="those that are left"),
        pytest.param(job(completions=9, status={"succeeded": 9}), 1, id="none is left"),
        pytest.param(job(scheduling={"schedulingConstraints": {"topology": []}}), 4, id="a Job that says a domain"),
    ],
)
async def test_job_that_says_no_policy_needs_its_pods_together(answer, want):
    assert await policy_of(answer) == {"gang": {"minCount": want}}


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        pytest.param(group(), job(scheduling={"schedulingPolicy": BASIC}), id="the Job says so"),
        pytest.param(group(GANG), job(), id="the group is a gang"),
        pytest.param(group(), job(uid="u2"), id="the Job is another one of that name"),
        pytest.param(group(), status(404, name="heat"), id="the Job is gone"),
        pytest.param(group(owner={**JOB, "kind": "JobSet"}), job(), id="no Job controls it"),
    ],
)
async def test_policy_of_the_group_counts(asked, answer):
    assert await policy_of(answer, asked) == asked["spec"]["schedulingPolicy"]


async def test_page_of_a_proxy_does_not_say_that_the_job_is_gone():
    with pytest.raises(ApiUnavailableError, match="Job heat can't be read: no"):
        await policy_of(status(404))


async def test_pods_of_the_group_that_have_succeeded_are_not_taken_off_twice():
    async with client(job(completions=4, status={"succeeded": 3})) as api:
        found = await as_its_job_wants(api, SOURCES, group(), succeeded=2)

    assert found["spec"]["schedulingPolicy"] == {"gang": {"minCount": 3}}


@pytest.mark.parametrize(
    ("answer", "want"),
    [
        pytest.param(job(completions=9), "9", id="it makes its pods one after the other"),
        pytest.param(job(completions=9, status={"succeeded": 7}), "9", id="the last ones are left"),
        pytest.param(job(completions=4), None, id="all pods at once"),
        pytest.param(job(uid="u2", completions=9), None, id="the Job is another one of that name"),
    ],
)
async def test_gang_of_the_group_says_how_many_pods_succeed_in_all(answer, want):
    async with client(answer) as api:
        found = await as_its_job_wants(api, SOURCES, group())

    parts = made_parts(OWNERS[Source.SCHEDULING_GROUP], found)
    assert parts["metadata"]["annotations"]["lockstep.dev/pods-in-all"] == want


async def test_job_is_not_read_where_jobs_are_no_source():
    assert await policy_of(reply(500, {}), sources=frozenset({Source.SCHEDULING_GROUP})) == BASIC
