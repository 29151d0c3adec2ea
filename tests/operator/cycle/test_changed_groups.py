"""Groups of a FairShare change while gangs of theirs run and wait: the next plan goes by the groups that are there."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.jumping import now, until
from fake_cluster.rig import operator_over
from fake_cluster.store import Place
from lockstep.facts.fair_share import CountedUse, FairShare, NamedGroup

pytestmark = pytest.mark.asyncio

HOUR = 3600.0
BUSY, CALM = NamedGroup("busy", 1, ("busy-lab",)), NamedGroup("calm", 1, ("calm-lab",))
OTHERS = NamedGroup("others", 1, ())
NODE = node("n1", cpu="2")


def share(state, *groups, version):
    state.shares.apply(FairShare(uid="uid", resource_version=version, groups=(*groups, OTHERS)))


def submit(api, name, namespace):
    manifest = gang(name)
    metadata = {**manifest["metadata"], "namespace": namespace, "uid": f"uid-{name}"}
    api.store.create("gangjobs", {**manifest, "metadata": metadata})


def is_placed(api, name, namespace):
    conditions = api.store.get(Place("gangjobs", namespace, name)).get("status", {}).get("conditions", ())
    return any((one["type"], one["status"], one["reason"]) == ("Placed", "True", "Bound") for one in conditions)


async def fill_and_wait(api, state):
    """Let a gang of the busy group fill all nodes for an hour; then an older gang of it waits, and one of the other."""
    share(state, BUSY, CALM, version="1")
    state.shares.begin(CountedUse(at=now(), by_group={"busy": 8 * HOUR, "calm": 2 * HOUR}), now())
    submit(api, "runs", "busy-lab")
    await until(lambda: is_placed(api, "runs", "busy-lab"))
    await asyncio.sleep(HOUR)
    submit(api, "old", "busy-lab")
    await asyncio.sleep(60)
    submit(api, "young", "calm-lab")
    await asyncio.sleep(60)


async def next_to_start(api):
    """End what runs; returns which of the gangs that wait is placed."""
    api.store.remove(Place("gangjobs", "busy-lab", "runs"))
    waits = (("old", "busy-lab"), ("young", "calm-lab"))
    await until(lambda: any(is_placed(api, *one) for one in waits))
    [found] = [one[0] for one in waits if is_placed(api, *one)]
    return found


@pytest.mark.parametrize(
    ("groups", "want"),
    [
        pytest.param((BUSY, CALM), "young", id="as before"),
        pytest.param((BUSY._replace(weight=10), CALM), "old", id="another weight"),
        pytest.param((BUSY._replace(name="new"), CALM), "old", id="another name"),
        pytest.param((CALM,), "old", id="a group less"),
        pytest.param((BUSY, CALM, NamedGroup("new", 1, ("new-lab",))), "young", id="a group more"),
        pytest.param(
            (BUSY._replace(namespaces=("calm-lab",)), CALM._replace(namespaces=("busy-lab",))), "old", id="swap"
        ),
        pytest.param((BUSY._replace(namespaces=("busy-lab", "calm-lab")),), "old", id="one group, by age"),
        pytest.param((), "old", id="no group, by age"),
    ],
)
async def test_next_gang_is_that_of_the_groups_that_are_there_now(groups, want):
    async with operator_over(NODE) as (api, parts):
        await fill_and_wait(api, parts.state)
        share(parts.state, *groups, version="2")

        assert await next_to_start(api) == want


async def test_gangs_start_by_age_once_the_fair_share_is_deleted():
    async with operator_over(NODE) as (api, parts):
        await fill_and_wait(api, parts.state)
        parts.state.shares.remove("uid")

        assert await next_to_start(api) == "old"


async def test_group_keeps_what_it_was_charged_and_its_gangs_are_charged_to_the_group_that_they_come_to():
    async with operator_over(NODE) as (api, parts):
        await fill_and_wait(api, parts.state)
        shares = parts.state.shares
        share(parts.state, BUSY._replace(namespaces=("gone",)), CALM, version="2")
        shares.charge(now())
        before = shares.used(now())["busy"]
        await asyncio.sleep(HOUR)
        shares.charge(now())

        assert before == pytest.approx(9 * HOUR, rel=0.05)
        assert shares.used(now())["busy"] == pytest.approx(before, rel=0.01)
        assert shares.used(now())["others"] == pytest.approx(HOUR, rel=0.05)
