"""GangJobs in queues of Kueue with members that are bound in part: with the quota all of these go, or all come anew."""

from contextlib import asynccontextmanager

import pytest

from builders.served import gang
from fake_cluster.api import REFUSED, Refusal
from fake_cluster.giving_way import notes
from fake_cluster.jumping import until
from fake_cluster.kueue import (
    CHECK,
    WORKLOADS,
    admit,
    entry_of,
    evict,
    has_quota,
    in_queue,
    is_true,
    queued,
    state_of,
    workload_of,
)
from fake_cluster.pod_gangs import BINDING
from fake_cluster.rig import bound, is_placed, pods_of, running_operator, status_of

pytestmark = pytest.mark.asyncio

BUSY = Refusal(code=503, message="not now")
KEEPS_SECONDS = 300


@asynccontextmanager
async def with_quota(answer, *checks):
    """A GangJob of four members with quota; after the first two bindings, all are answered so."""
    sent = []

    def fault(request):
        if (request.verb, request.resource) != ("POST", BINDING):
            return None
        sent.append(request)
        return answer if len(sent) > 2 else None

    async with queued() as api, running_operator(api, sources=WORKLOADS):
        api.fault = fault
        api.store.create("gangjobs", in_queue(gang("g", size=4)))
        await until(lambda: workload_of(api))
        admit(api, checks=checks)
        yield api


async def test_gang_that_is_preempted_while_it_is_bound_leaves_nothing_and_comes_again():
    async with with_quota(BUSY) as api:
        await until(lambda: len(bound(pods_of(api, "g"))) == 2)
        evict(api)
        await until(lambda: not has_quota(api))
        assert (pods_of(api, "g"), status_of(api).get("reservedAt")) == ([], None)

        api.fault = lambda _: None
        admit(api)
        await until(lambda: is_placed(api))
        assert status_of(api)["attempt"] == 2


async def test_check_of_a_gang_that_is_evicted_says_nothing_before_it_has_quota_again():
    async with with_quota(BUSY, CHECK) as api:
        await until(lambda: len(bound(pods_of(api, "g"))) == 2)
        await until(lambda: state_of(api, workload_of(api)) == "Ready")
        evict(api)
        await until(lambda: not has_quota(api))

        assert state_of(api, workload_of(api)) == "Pending"


async def test_bindings_that_fail_for_minutes_give_quota_back_and_all_members_come_with_quota():
    async with with_quota(REFUSED, CHECK) as api:
        await until(lambda: state_of(api, workload_of(api)) == "Retry", seconds=2 * KEEPS_SECONDS)
        why = entry_of(api, workload_of(api))["message"]
        assert "can't be placed: Attempt " in why
        await until(lambda: ("Workload", why) in notes(api, "QuotaGivenBack"))

        evict(api)
        await until(lambda: not has_quota(api))
        assert pods_of(api, "g") == []
        api.fault = lambda _: None
        admit(api, checks=(CHECK,))
        await until(lambda: is_placed(api))


async def test_binding_that_fails_keeps_quota_and_all_members_come_anew():
    async with with_quota(REFUSED, CHECK) as api:
        await until(lambda: status_of(api).get("attempt") == 2)
        assert (has_quota(api), is_true(api, "g", "Evicted")) == (True, False)

        api.fault = lambda _: None
        await until(lambda: is_placed(api))
        assert state_of(api, workload_of(api)) == "Ready"
