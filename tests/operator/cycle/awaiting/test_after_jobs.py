"""Gangs that wait until a Job or a JobSet is complete: its pods may come and end one after the other."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.jumping import until
from fake_cluster.owners import create_owner, group_pod, reference
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import DEFAULT, api_with, is_placed, pod_place, pods_of, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

JOB = Place("jobs", DEFAULT, "heat")


def create_job(api, **spec):
    """Create a Job, and a gang that starts after it."""
    create_owner(api, "jobs", "heat", spec={"template": {}, **spec})
    after = [{"kind": "Gang", "name": "job.heat", "when": "Succeeded"}]
    api.store.create("gangjobs", gang("late", size=1, spec={"after": after}))


def begin(api, *names):
    """Create pods of the Job."""
    for name in names:
        api.store.create("pods", group_pod(name, owner=reference("batch/v1", "Job", "heat"), cpu="1"))


async def end(api, name, phase="Succeeded"):
    """Let a pod end once it is bound."""
    await until(lambda: name in {it["metadata"]["name"] for it in bound(api)})
    api.store.change(pod_place(name), status={"phase": phase})


async def test_gang_waits_until_all_completions_of_a_job_have_succeeded():
    async with api_with(node("n1")) as api, running_operator(api, sources=frozenset({Source.JOB})):
        create_job(api, parallelism=1, completions=3)
        for done, name in enumerate("abc"):
            assert not pods_of(api, "late")
            begin(api, name)
            await end(api, name)
            api.store.change(JOB, status={"succeeded": done + 1})
            # The controller of Jobs makes the next pod a while later.
            await asyncio.sleep(10)

        await until(lambda: is_placed(api, "late"))


async def test_gang_waits_while_the_last_pod_of_a_job_fails_again_and_again():
    async with api_with(node("n1")) as api, running_operator(api, sources=frozenset({Source.JOB})):
        create_job(api, parallelism=2, completions=2)
        begin(api, "a", "b")
        await end(api, "a")
        await end(api, "b", "Failed")
        api.store.change(JOB, status={"succeeded": 1})
        begin(api, "c")
        await end(api, "c", "Failed")
        await asyncio.sleep(100)
        assert not pods_of(api, "late")

        begin(api, "d")
        await end(api, "d")

        await until(lambda: is_placed(api, "late"))
