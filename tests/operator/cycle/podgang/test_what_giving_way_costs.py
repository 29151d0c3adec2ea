"""Gangs whose owner is suspended for a gang of another group: their status and their group's account agree."""

import asyncio
import itertools

import pytest

from builders.served import gang, node
from fake_cluster.bound_in_part import mark_of
from fake_cluster.giving_way import HEAT, JOB_GANG, gang_condition, is_job_placed, running_job, urgent_gang
from fake_cluster.jumping import now, until
from fake_cluster.owners import is_suspended
from fake_cluster.rig import DEFAULT, is_placed, operator_over
from fake_cluster.store import Place
from lockstep.facts.fair_share import CountedUse, FairShare, NamedGroup
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

ALL = frozenset(Source)
HOUR = 3600.0
OTHER = "calm-lab"
GROUPS = (NamedGroup("busy", 1, (DEFAULT,)), NamedGroup("calm", 1, (OTHER,)), NamedGroup("others", 1, ()))
NUMBERS = itertools.count()
TWO_NODES = (node("n1", cpu="2"), node("n2", cpu="2"))


async def run_beside_another(api, parts):
    """Count what groups use from now on, and place a gang that no other may replace. Job and gang fill two nodes."""
    parts.state.shares.apply(FairShare(uid="uid", resource_version="1", groups=GROUPS, reclaims=True))
    parts.state.shares.begin(CountedUse(at=now(), by_group={}), now())
    api.store.create("gangjobs", gang("cold", spec={"priorityClassName": "urgent"}))
    await until(lambda: is_placed(api, "cold"))
    parts.state.shares.charge(now())
    await asyncio.sleep(HOUR)


def submit_elsewhere(api, manifest):
    """Create a gang of the group that has used nothing."""
    metadata = {**manifest["metadata"], "namespace": OTHER, "uid": "uid-of-hot"}
    api.store.create("gangjobs", {**manifest, "metadata": metadata})


def is_placed_elsewhere(api):
    status = api.store.get(Place("gangjobs", OTHER, "hot")).get("status", {})
    placed = next((one for one in status.get("conditions", ()) if one["type"] == "Placed"), {})
    return placed.get("status") == "True"


def conflict_until_resumed(api):
    """Have the Gang change before each write of its status, until its owner has been suspended and is resumed."""
    seen = []

    def fault(it):
        seen.append(is_suspended(api, HEAT) or mark_of(api, HEAT) is not None)
        is_resumed = any(seen) and not seen[-1]
        if (it.verb, it.resource) == ("PATCH", "gangs/status") and not is_resumed:
            api.store.annotate(JOB_GANG, {"example.com/changed": str(next(NUMBERS))})

    api.fault = fault


def used(parts):
    """What the group of the Job and of the gang beside it has used by now."""
    parts.state.shares.charge(now())
    return parts.state.shares.used(now())["busy"]


@pytest.mark.parametrize("conflicts", [False, True], ids=["written-at-once", "written-once-the-owner-is-resumed"])
async def test_what_an_urgent_gang_took_is_given_back(conflicts):
    async with operator_over(*TWO_NODES, sources=ALL) as (api, parts), running_job(api):
        await run_beside_another(api, parts)
        before = used(parts)
        if conflicts:
            conflict_until_resumed(api)
        submit_elsewhere(api, urgent_gang())
        await until(lambda: is_placed_elsewhere(api))
        await until(lambda: gang_condition(api, "Preempted") == ("True", "Preempted"))
        await asyncio.sleep(60)

        assert before == pytest.approx(HOUR, rel=0.1)
        assert used(parts) == pytest.approx(before / 2, rel=0.1), "that of the gang that stays"
        assert not parts.state.pod_gangs.yielding.unreported


@pytest.mark.parametrize("conflicts", [False, True], ids=["written-at-once", "written-once-the-owner-is-resumed"])
async def test_group_pays_for_what_was_taken_back(conflicts):
    async with operator_over(*TWO_NODES, sources=ALL) as (api, parts), running_job(api):
        await run_beside_another(api, parts)
        before = used(parts)
        if conflicts:
            conflict_until_resumed(api)
        submit_elsewhere(api, gang("hot"))
        await until(lambda: is_placed_elsewhere(api))
        await until(lambda: gang_condition(api, "Preempted") == ("True", "Reclaimed"))
        await asyncio.sleep(60)

        assert used(parts) >= before
        assert not is_job_placed(api)
        assert not parts.state.pod_gangs.yielding.unreported
