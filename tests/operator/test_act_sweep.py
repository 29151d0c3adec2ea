"""Pods that no gang stands for are swept; those whose gang a watch has only not shown yet are kept."""

from contextlib import asynccontextmanager

import pytest

from fake_cluster.api import FakeApi, Refusal
from fake_cluster.facts import member_fact
from fake_cluster.jumping import now
from fake_cluster.manifests import gang, owned_by, pod
from lockstep.act.sweep import sweep_orphans
from lockstep.kube import KubeClient

pytestmark = pytest.mark.asyncio

ORPHANS = [member_fact("g", rank=rank) for rank in (0, 1)]


@asynccontextmanager
async def left_over(*gangs):
    """Two members of gang g at the API, and these gangs; gives the API and a client."""
    async with (
        FakeApi(now) as api,
        KubeClient(api.configuration, concurrency=4, observer=lambda *_: None) as client,
    ):
        api.store.add("pods", *[pod(f"g-1-{rank}", **owned_by("g", rank=rank)) for rank in (0, 1)])
        for one in gangs:
            api.store.create("gangjobs", one)
        yield api, client


@pytest.mark.parametrize(
    ("gangs", "want_left"),
    [
        pytest.param([], 0, id="the gang is gone"),
        pytest.param([gang("g", uid="successor")], 0, id="another gang has its name"),
        pytest.param([gang("g", deletionTimestamp="2027-01-15T08:00:00Z")], 0, id="the gang is being deleted"),
        pytest.param([gang("g")], 2, id="the gang is there"),
        pytest.param([gang("other")], 0, id="only others are there"),
    ],
)
async def test_orphans(gangs, want_left):
    async with left_over(*gangs) as (api, client):
        await sweep_orphans(client, ORPHANS)

        assert len(api.store.objects("pods")) == want_left


@pytest.mark.parametrize(
    "fault", [pytest.param(Refusal(code=500), id="outage"), pytest.param(Refusal(code=403), id="forbidden")]
)
async def test_nothing_is_deleted_where_the_api_server_does_not_say(fault):
    async with left_over() as (api, client):
        api.fault = lambda request: fault if request.resource == "gangjobs" else None
        await sweep_orphans(client, ORPHANS)

        assert len(api.store.objects("pods")) == 2
