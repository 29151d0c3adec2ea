"""The API server gives no answer about the owner of waiting pods: an event says so, and does not blame the owner."""

import pytest

from builders.served import node
from fake_cluster.api import Refusal
from fake_cluster.jumping import until
from fake_cluster.owners import create_owner, group_pod, reference
from fake_cluster.rig import api_with, running_operator
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio


async def test_pods_whose_owner_is_not_answered_for_say_so():
    async with api_with(node("n1", cpu="3")) as api, running_operator(api, sources=frozenset({Source.JOB})):
        is_read = lambda it: (it.verb, it.resource, bool(it.name)) == ("GET", "jobs", True)  # noqa: E731 - a condition
        api.fault = lambda it: Refusal(code=500, message="etcd is slow") if is_read(it) else None
        create_owner(api, "jobs", "heat", spec={"parallelism": 1})
        api.store.create("pods", group_pod("heat-0", owner=reference("batch/v1", "Job", "heat")))
        await until(lambda: api.store.objects("events"), seconds=600)

        [event] = api.store.objects("events")
        assert event["note"].endswith("wait for it: the API server did not answer: GET jobs: etcd is slow.")
