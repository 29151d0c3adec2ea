"""Groups that hold less than their shares take back what others have borrowed, and what both sides then show."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.elastic import FOUR, elastic, rigid
from fake_cluster.elastic_jobs import SMALL, SOURCES, THIRD, running_job, status
from fake_cluster.jumping import now, until
from fake_cluster.rig import api_with, operator_over, running_operator
from fake_cluster.store import Place
from lockstep.facts.fair_share import CountedUse, FairShare, NamedGroup

pytestmark = pytest.mark.asyncio

HOUR = 3600.0
GROUPS = (NamedGroup("busy", 1, ("busy-lab",)), NamedGroup("calm", 1, ("calm-lab",)), NamedGroup("others", 1, ()))
TWO_OF_TWO = (node("n1", cpu="2"), node("n2", cpu="2"))


def share(state, *, reclaims, busy=4 * HOUR, groups=GROUPS):
    """Let two groups share the nodes, of which one has used more."""
    state.shares.apply(FairShare(uid="uid", resource_version="1", groups=groups, reclaims=reclaims))
    state.shares.begin(CountedUse(at=now(), by_group={"busy": busy}), now())


def submit(api, group, manifest):
    name = manifest["metadata"]["name"]
    metadata = {**manifest["metadata"], "namespace": f"{group}-lab", "uid": f"uid-{name}"}
    api.store.create("gangjobs", {**manifest, "metadata": metadata})


def says(api, group, name, kind):
    """(status, reason, message) of a condition; empty texts where there is none."""
    status = (api.store.get(Place("gangjobs", f"{group}-lab", name)) or {}).get("status", {})
    found = [one for one in status.get("conditions", ()) if one["type"] == kind]
    return (found[0]["status"], found[0]["reason"], found[0]["message"]) if found else ("", "", "")


def is_placed(api, group, name):
    return says(api, group, name, "Placed")[:2] == ("True", "Bound")


async def run(api, group, manifest):
    """Place a gang, whose members then run for an hour."""
    name = manifest["metadata"]["name"]
    submit(api, group, manifest)
    await until(lambda: is_placed(api, group, name))
    for pod in api.store.objects("pods", f"{group}-lab"):
        api.store.change(Place("pods", f"{group}-lab", pod["metadata"]["name"]), status={"phase": "Running"})
    await asyncio.sleep(HOUR)


async def plan_again(api):
    """Let a plan follow after the last submitted gang was checked by dry runs, and carry out what it decides."""
    await asyncio.sleep(10)
    api.store.add("nodes", node("closed", cpu="1", cordoned=True))
    await asyncio.sleep(20)


@pytest.mark.parametrize("mode", ["Restart", "Members"])
async def test_elastic_gang_of_a_group_that_has_borrowed_shrinks(mode):
    async with operator_over(*FOUR) as (api, parts):
        share(parts.state, reclaims=False)
        await run(api, "busy", elastic("large", mode=mode))

        submit(api, "calm", rigid("small", size=2))
        await until(lambda: is_placed(api, "calm", "small"))

        status, reason, why = says(api, "busy", "large", "Preempted")
        assert (status, reason) == ("False", "ShrunkForGang")
        assert why.startswith(
            "Shrinks from 4 to 2 members for a gang of another namespace, of priority 0 and UID uid-small, "
            "as the group of that gang has used less of its share: "
        )
        notes = [one["note"] for one in api.store.objects("events", "calm-lab") if one["reason"] == "PreemptedForGang"]
        [note] = notes
        assert note.startswith("A gang of another namespace shrinks from 4 to 2 members for this gang")


@pytest.mark.parametrize("reclaims", [True, False])
async def test_gang_of_a_group_that_has_borrowed_is_evicted_only_where_the_fair_share_says_so(reclaims):
    async with operator_over(*TWO_OF_TWO) as (api, parts):
        share(parts.state, reclaims=reclaims)
        await run(api, "busy", gang("old", size=2))
        await run(api, "busy", gang("young", size=2))

        submit(api, "calm", gang("small"))
        if not reclaims:
            await asyncio.sleep(HOUR)
            assert not is_placed(api, "calm", "small")
            return
        await until(lambda: is_placed(api, "calm", "small"))

        why = (
            "A gang of another namespace, of priority 0 and UID uid-small, takes the place of this gang: the group of "
            "that gang has used less of its share."
        )
        assert says(api, "busy", "young", "Preempted") == ("True", "Reclaimed", why)
        assert is_placed(api, "busy", "old")
        assert parts.metric("lockstep_attempts_undone_total", reason="Reclaimed") == 1
        # The group is charged for what was taken from it, so its gang does not come back before the other one.
        await asyncio.sleep(HOUR)
        assert is_placed(api, "calm", "small")
        assert parts.metric("lockstep_gangs_preempted_total") == 1


async def test_group_keeps_its_share():
    async with operator_over(*TWO_OF_TWO) as (api, parts):
        share(parts.state, reclaims=True)
        await run(api, "busy", gang("first", size=2))
        await run(api, "calm", gang("second", size=2))

        submit(api, "calm", gang("third", size=2))
        await asyncio.sleep(HOUR)

        assert not is_placed(api, "calm", "third")
        assert is_placed(api, "busy", "first")


async def test_gang_that_changes_its_size_counts_for_its_group():
    async with operator_over(*(node(f"n{number}", cpu="1") for number in range(1, 10))) as (api, parts):
        share(parts.state, reclaims=True)
        await run(api, "busy", gang("old", size=3))
        await run(api, "busy", gang("young", size=2))
        await run(api, "calm", elastic("large", asked=3))
        api.lingers, large = True, Place("gangjobs", "calm-lab", "large")
        terms = api.store.get(large)["spec"]["elastic"]
        api.store.change(large, metadata={"generation": 2}, spec={"elastic": {**terms, "size": 4}})
        await until(lambda: says(api, "calm", "large", "Placed")[1] == "Undoing")

        submit(api, "calm", gang("small", size=2))
        await plan_again(api)

        assert is_placed(api, "busy", "young")


async def test_gang_of_pods_that_grows_counts_for_its_group():
    groups = (NamedGroup("busy", 1, ("busy-lab",)), NamedGroup("calm", 1, ("default",)), NamedGroup("others", 1, ()))
    nodes = (*SMALL, node("b1", cpu="2"), node("b2", cpu="2"), node("b3", cpu="1"))
    async with api_with(*nodes) as api, running_operator(api, sources=SOURCES) as parts:
        share(parts.state, reclaims=True, groups=groups)
        await run(api, "busy", gang("old", size=4))
        await run(api, "busy", gang("young", size=1))
        async with running_job(api, size=4):
            pass
        # Without its controller, the Job gets no pods, and its growth takes a minute.
        api.store.add("nodes", THIRD)
        await until(lambda: "next" in status(api))

        api.store.create("gangjobs", gang("small", size=1))
        await plan_again(api)

        assert "next" in status(api)
        assert is_placed(api, "busy", "young")


async def test_nothing_is_taken_back_once_the_fair_share_says_never():
    async with operator_over(*TWO_OF_TWO) as (api, parts):
        share(parts.state, reclaims=True)
        await run(api, "busy", gang("old", size=2))
        await run(api, "busy", gang("young", size=2))
        dry_run = asyncio.Event()
        admits_now = parts.cycle._evictions._dry_runs.admits_now

        async def slow(asked):
            await dry_run.wait()
            return await admits_now(asked)

        parts.cycle._evictions._dry_runs.admits_now = slow
        submit(api, "calm", gang("small"))
        await until(lambda: parts.cycle._evictions.asked_about)
        parts.state.shares.apply(FairShare(uid="uid", resource_version="2", groups=GROUPS))
        dry_run.set()
        await asyncio.sleep(HOUR)

        assert is_placed(api, "busy", "young")
