"""Gangs that run while an operator refuses their spec: of another version, or with other options."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster import rig
from fake_cluster.jumping import until
from fake_cluster.kueue import WORKLOADS, admit, in_queue, is_true, workload_of
from fake_cluster.rig import (
    api_with,
    condition,
    gang_place,
    is_placed,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)

pytestmark = pytest.mark.asyncio

BARRIER = {"network": {"startBarrier": {"timeout": "5m"}}}
IMAGE = rig.GATE_IMAGE


@pytest.fixture
def set_image(monkeypatch):
    """Give operators that start from now on this image for gates; '' is none."""
    return lambda image: monkeypatch.setattr(rig, "GATE_IMAGE", image)


async def run(api):
    await until(lambda: is_placed(api))
    set_phases(api, "g", "Running")
    await until(lambda: "startedAt" in status_of(api))


def names(api):
    return sorted(it["metadata"]["uid"] for it in pods_of(api, "g"))


async def test_members_of_a_gang_that_a_new_operator_refuses_run_on_and_the_next_operator_goes_on_with_them(
    set_image,
):
    async with api_with(gangs=[gang("g", size=3, spec=BARRIER)]) as api:
        async with running_operator(api):
            await run(api)
        before = names(api)
        set_image("")
        async with running_operator(api) as parts:
            await until(lambda: condition(api, "g", "Accepted") == ("False", "UnsupportedField"))
            await asyncio.sleep(600)
            assert names(api) == before
            assert is_placed(api)
            assert status_of(api)["state"] == "Running"
            # No other gang gets the room of the members.
            api.store.create("gangjobs", gang("other", size=2, cpu="7"))
            await until(lambda: condition(api, "other", "Planned"))
            assert not is_placed(api, "other")
            assert parts.metric("lockstep_gang_errors_total", stage="follow") == 0
        set_image(IMAGE)
        async with running_operator(api):
            await until(lambda: condition(api, "g", "Accepted") == ("True", "SpecUnderstood"))
            assert names(api) == before
            set_phases(api, "g", "Succeeded")
            await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))
            assert status_of(api)["attempt"] == 1


@pytest.mark.parametrize("field", [{"suspend": True}, {"activeDeadlineSeconds": 1}], ids=["suspended", "overdue"])
async def test_user_ends_a_gang_that_a_new_operator_refuses(set_image, field):
    async with api_with(gangs=[gang("g", spec=BARRIER)]) as api:
        async with running_operator(api):
            await run(api)
        set_image("")
        async with running_operator(api):
            await until(lambda: condition(api, "g", "Accepted") == ("False", "UnsupportedField"))
            api.store.change(gang_place("g"), spec=field, metadata={"generation": 2})
            await until(lambda: not [it for it in pods_of(api, "g") if "deletionTimestamp" not in it["metadata"]])
            await until(lambda: status_of(api)["state"] in ("Refused", "Failed"))


async def test_attempt_that_a_new_operator_refuses_is_torn_down(set_image):
    async with api_with(gangs=[gang("g", size=3, spec=BARRIER)]) as api:
        await rig.leave_before(api, ("POST", "pods/binding"))
        assert pods_of(api, "g")
        set_image("")
        async with running_operator(api):
            await until(lambda: condition(api, "g", "Accepted") == ("False", "UnsupportedField"))
            await until(lambda: not pods_of(api, "g"))
            assert "reservedAt" not in status_of(api)
            assert status_of(api)["state"] == "Refused"
        set_image(IMAGE)
        async with running_operator(api):
            await until(lambda: is_placed(api))
            assert status_of(api)["attempt"] == 2


async def test_gang_that_cannot_be_understood_keeps_its_members_and_its_quota():
    async with api_with(node("n1"), gangs=[in_queue(gang("g", size=2))]) as api:
        api.store.create("resourceflavors", {"metadata": {"name": "plain"}, "spec": {}})
        async with running_operator(api, sources=WORKLOADS):
            await until(lambda: workload_of(api, "g"))
            admit(api, "g")
            await run(api)
            await until(lambda: is_true(api, "g", "PodsReady"))
            before = names(api)

            api.store.change(gang_place("g"), spec={"size": {"min": None}}, metadata={"generation": 2})
            await until(lambda: condition(api, "g", "Accepted") == ("False", "InvalidSpec"))
            await asyncio.sleep(600)
            assert names(api) == before
            assert workload_of(api, "g")

            api.store.change(gang_place("g"), spec={"size": {"min": 2, "max": 2}}, metadata={"generation": 3})
            await until(lambda: condition(api, "g", "Accepted") == ("True", "SpecUnderstood"))
            set_phases(api, "g", "Succeeded")
            await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))


async def test_end_of_a_gang_that_cannot_be_understood_stays():
    async with api_with(gangs=[gang("g", size=2)]) as api:
        async with running_operator(api):
            await run(api)
            set_phases(api, "g", "Succeeded")
            await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))
        api.store.change(gang_place("g"), spec={"size": {"min": None}}, metadata={"generation": 2})
        before = status_of(api)
        async with running_operator(api):
            await asyncio.sleep(60)
            assert status_of(api) == before
