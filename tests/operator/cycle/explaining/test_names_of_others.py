"""No text that a tenant may read names gangs or namespaces of others, whatever they do to each other.

Both namespaces have names that stand nowhere else. All that any object ever was is read, not only what is left.
"""

import asyncio
import json
import zlib

import pytest

from builders.served import at, gang, node, priority_class
from fake_cluster.elastic import FOUR, elastic, rigid
from fake_cluster.giving_way import ONE_NODE, running_job
from fake_cluster.jumping import now, until
from fake_cluster.rig import DEFAULT, api_with, operator_over, running_operator
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

OWN, OTHER = "zebra-lab", "okapi-lab"
# What stands in no text for users of the namespace.
HIDDEN = {OWN: ("okapi",), OTHER: ("zebra", "default/", "job.heat"), DEFAULT: ("okapi", "zebra")}
HOUR = 3600.0


def of(namespace, manifest):
    """The manifest as one of that namespace, with a UID that has no name."""
    metadata = manifest["metadata"]
    uid = f"uid-{zlib.crc32(metadata['name'].encode())}"
    return {**manifest, "metadata": {**metadata, "namespace": namespace, "uid": uid}}


def submit(api, namespace, manifest):
    api.store.create("gangjobs", of(namespace, manifest))


def urgent(manifest):
    return {**manifest, "spec": {**manifest["spec"], "priorityClassName": "urgent"}}


def status_of(api, namespace, name):
    return (api.store.get(Place("gangjobs", namespace, name)) or {}).get("status", {})


def says(api, namespace, name, kind):
    """(status, reason, message) of a condition; empty texts where there is none."""
    found = [one for one in status_of(api, namespace, name).get("conditions", ()) if one["type"] == kind]
    return (found[0]["status"], found[0]["reason"], found[0]["message"]) if found else ("", "", "")


def is_placed(api, namespace, name):
    return says(api, namespace, name, "Placed")[:2] == ("True", "Bound")


async def run(api, namespace, manifest):
    """Place a gang, whose members then run."""
    name = manifest["metadata"]["name"]
    submit(api, namespace, manifest)
    await until(lambda: is_placed(api, namespace, name))
    for pod in api.store.objects("pods", namespace):
        api.store.change(Place("pods", namespace, pod["metadata"]["name"]), status={"phase": "Running"})
    await until(lambda: status_of(api, namespace, name).get("startedAt"))


def leaks(api):
    """(namespace, resource, hidden name) of each text in which a name stands that must not."""
    found = set()
    for one in api.store.past:
        text, namespace = json.dumps(one.event["object"]), one.event["object"]["metadata"].get("namespace")
        found |= {(namespace, one.resource, name) for name in HIDDEN.get(namespace, ()) if name in text}
    return found


def notes(api, namespace, reason):
    return [one["note"] for one in api.store.objects("events", namespace) if one["reason"] == reason]


async def test_eviction_names_the_other_gang_to_neither_side():
    async with operator_over(*ONE_NODE) as (api, _):
        api.store.create("priorityclasses", priority_class("urgent", 100))
        await run(api, OWN, gang("zebra"))

        submit(api, OTHER, urgent(gang("okapi")))
        await until(lambda: is_placed(api, OTHER, "okapi"))

        uid = api.store.get(Place("gangjobs", OTHER, "okapi"))["metadata"]["uid"]
        says_why = f"A gang of another namespace, of priority 100 and UID {uid}, takes the place of this gang."
        assert says(api, OWN, "zebra", "Preempted") == ("True", "Preempted", says_why)
        assert notes(api, OTHER, "PreemptedForGang") == [
            (
                "A gang of another namespace is evicted for this gang. This gang starts when members of the other gang "
                "have ended."
            )
        ]
        assert says(api, OTHER, "okapi", "Planned")[2].endswith(" It takes the place of a gang of another namespace.")
        assert leaks(api) == set()


async def test_next_process_knows_to_which_gang_of_another_namespace_one_gives_way():
    async with api_with(*ONE_NODE) as api:
        api.store.create("priorityclasses", priority_class("urgent", 100))
        async with running_operator(api):
            await run(api, OWN, gang("zebra"))
            api.lingers = True
            submit(api, OTHER, urgent(gang("okapi")))
            await until(lambda: says(api, OWN, "zebra", "Preempted")[0])
        async with running_operator(api) as parts:
            await until(lambda: len(parts.state.gangs) == 2)
            keys = {key.name: key for key in parts.state.gangs}
            assert parts.state.giving_way.evicted.preemptor_of(keys["zebra"]) == keys["okapi"]
            assert parts.state.giving_way.evicted.victims_of(keys["okapi"]) == (keys["zebra"],)


@pytest.mark.parametrize("mode", ["Restart", "Members"])
async def test_shrink_for_an_urgent_gang_names_the_other_gang_to_neither_side(mode):
    async with operator_over(*FOUR) as (api, _):
        api.store.create("priorityclasses", priority_class("urgent", 100))
        await run(api, OWN, elastic("zebra", mode=mode))
        await asyncio.sleep(HOUR)

        submit(api, OTHER, urgent(rigid("okapi", size=2)))
        await until(lambda: is_placed(api, OTHER, "okapi"))

        status, reason, why = says(api, OWN, "zebra", "Preempted")
        assert (status, reason) == ("False", "ShrunkForGang")
        assert why.startswith(
            "Shrinks from 4 to 2 members for an urgent gang of another namespace, of priority 100 and"
        )
        assert "A gang of another namespace shrinks from 4 to 2 members" in notes(api, OTHER, "PreemptedForGang")[0]
        assert leaks(api) == set()


async def test_gang_that_gives_members_up_for_one_that_waits_and_that_one_name_none():
    async with operator_over(*FOUR) as (api, _):
        await run(api, OWN, elastic("zebra", mode="Members"))
        await asyncio.sleep(HOUR)
        api.lingers = True

        submit(api, OTHER, rigid("okapi", size=2, takes="20m"))
        await until(lambda: status_of(api, OWN, "zebra")["size"] == 2)
        await until(lambda: "plan" in status_of(api, OTHER, "okapi"))
        await asyncio.sleep(60)

        [why] = notes(api, OWN, "GangChangesSize")
        assert "shrinks from 4 to 2 members: a gang of another namespace waits, and starts on" in why.lower()
        assert "held by a gang of another namespace until" in json.dumps(status_of(api, OTHER, "okapi"))
        assert leaks(api) == set()


@pytest.mark.parametrize(
    ("work", "wants"),
    [
        pytest.param({"serialTime": "1h"}, "held by a gang of another namespace until", id="a known end"),
        pytest.param(None, "while a gang of another namespace holds 2 nodes and has no known end", id="no end"),
    ],
)
async def test_gang_that_waits_learns_how_much_another_one_holds_and_not_its_name(work, wants):
    terms = {"work": work} if work else {}
    async with operator_over(node("n1", cpu="1"), node("n2", cpu="1")) as (api, _):
        await run(api, OTHER, gang("okapi", spec=terms))

        submit(api, OWN, gang("zebra", spec=terms))
        await until(lambda: wants in json.dumps(status_of(api, OWN, "zebra")))

        assert leaks(api) == set()


async def test_gang_behind_one_that_holds_nodes_does_not_learn_its_name():
    async with operator_over(node("n1"), node("n2")) as (api, _):
        await run(api, OTHER, gang("okapi-runs", size=1, cpu="8"))
        submit(api, OTHER, gang("okapi-large", size=2, cpu="8", creationTimestamp=at(now())))
        await until(lambda: says(api, OTHER, "okapi-large", "Planned")[1] == "HoldsNodes")

        submit(api, OWN, gang("zebra", size=1, cpu="1", creationTimestamp=at(now())))
        await until(lambda: says(api, OWN, "zebra", "Planned")[1] == "HeldByGangsInFront")

        assert "a gang of another namespace, which is in front, holds" in says(api, OWN, "zebra", "Planned")[2]
        assert leaks(api) == set()


async def test_job_whose_pods_begin_anew_and_the_urgent_gang_do_not_learn_each_others_names():
    async with operator_over(*ONE_NODE, sources=frozenset(Source)) as (api, _), running_job(api):
        submit(api, OTHER, urgent(gang("okapi")))
        await until(lambda: is_placed(api, OTHER, "okapi") and notes(api, OTHER, "PreemptedForGang"))

        assert "a gang of another namespace, of priority 100 and UID" in notes(api, DEFAULT, "OwnerSuspended")[0]
        assert leaks(api) == set()
