"""What the status of a waiting gang says while another one shrinks for it."""

import asyncio

import pytest

from builders.notices import READS
from fake_cluster.elastic import FOUR, beside_a_blocker, elastic, free_the_room, rigid, run, until_attempt
from fake_cluster.jumping import now, until
from fake_cluster.rig import is_placed, operator_over, pod_place, pods_of, set_phases, status_of
from lockstep.api.quantities import epoch_seconds

pytestmark = pytest.mark.asyncio

GIVES_UP = "It waits until gang default/g has given up its places there."


def explanations_of(api, name):
    """What the statuses said before the gang was placed: reason, message and plan of each, from the first on."""
    found = (it.event["object"] for it in api.store.past if it.resource == "gangjobs")
    statuses = [one["status"] for one in found if one["metadata"]["name"] == name and "status" in one]
    shown = [(planned(one), one.get("plan")) for one in statuses if planned(one)]
    return [(one["reason"], one["message"], plan) for one, plan in shown if one["reason"] != "Reserved"]


def planned(status):
    return next((one for one in status.get("conditions", ()) if one["type"] == "Planned"), None)


def end_grace_of_leaving(api):
    """Remove the members that were asked to end."""
    for pod in pods_of(api, "g"):
        if "deletionTimestamp" in pod["metadata"]:
            api.store.remove(pod_place(pod["metadata"]["name"]))


@pytest.mark.parametrize(
    ("how", "waits"),
    [({"pod_spec": READS}, 150), ({}, 30), ({"mode": "Members"}, 30)],
    ids=["with notice", "without", "while others run"],
)
async def test_status_says_when_a_gang_starts_and_which_gang_gives_up_seats_for_it(how, waits):
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(**how))
        await asyncio.sleep(7200)
        api.lingers = True

        came = now()
        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        await asyncio.sleep(waits)
        end_grace_of_leaving(api)
        await until(lambda: is_placed(api, "short"))

        for reason, message, plan in explanations_of(api, "short"):
            assert (reason, message.endswith(GIVES_UP)) == ("StartsLater", True)
            assert epoch_seconds(plan["likelyStart"]) == pytest.approx(came + waits, abs=4)
            assert plan["waitsFor"].startswith("1 slot on nodes of speed 1, held by default/g until ")
            assert epoch_seconds(plan.get("promisedStart", plan["likelyStart"])) >= epoch_seconds(plan["likelyStart"])


@pytest.mark.parametrize("pod_spec", [READS, None], ids=["with notice", "without"])
async def test_gang_for_which_another_one_shrinks_keeps_its_promise(pod_spec):
    async with operator_over(*FOUR) as (api, parts):
        await beside_a_blocker(api, pod_spec=pod_spec)
        free_the_room(api)
        await until_attempt(api, 2)
        set_phases(api, "g", "Running")
        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        promised = await until(lambda: status_of(api, "short").get("plan", {}).get("promisedStart"))

        await until(lambda: is_placed(api, "short"), seconds=7200)

        assert status_of(api)["size"] == 3
        reasons, messages, plans = zip(*explanations_of(api, "short"), strict=True)
        assert (set(reasons), {plan["promisedStart"] for plan in plans}) == ({"StartsLater"}, {promised})
        assert messages[-1].endswith(GIVES_UP)
        assert now() <= epoch_seconds(promised)
        assert parts.metric("lockstep_promises_broken_total", reason="QueueChanged") == 0
