"""Many gangs deleted at once: each pod is deleted once, and a new gang does not wait behind it."""

import asyncio
import logging

import pytest

from builders.served import gang, node
from fake_cluster.jumping import now, until
from fake_cluster.rig import condition, event_reasons, gang_place, is_placed, operator_over, pod_place, pods_of

pytestmark = pytest.mark.asyncio

GANGS, SIZE = 12, 8
NAMES = [f"g{number}" for number in range(GANGS)]


async def test_every_pod_of_deleted_gangs_is_deleted_once_and_a_new_gang_does_not_wait():
    async with operator_over(node("n1", cpu="128"), gangs=[gang(name, size=SIZE) for name in NAMES]) as (api, _):
        await until(lambda: all(is_placed(api, name) for name in NAMES))
        api.lingers = True
        api.requests.clear()
        for name in NAMES:
            api.store.remove(gang_place(name))
        # The garbage collector deletes them too, and each of its deletions is a change.
        for it in [it for name in NAMES for it in pods_of(api, name)][::2]:
            api.store.change(pod_place(it["metadata"]["name"]), metadata={"deletionTimestamp": "2027-01-15T08:00:00Z"})
        began = now()
        api.store.create("gangjobs", gang("new", size=SIZE))
        await until(lambda: is_placed(api, "new"))

        assert now() - began < 2
        deleted = [request.name for request in api.requests if request.verb == "DELETE"]
        assert len(deleted) == len(set(deleted)) <= GANGS * SIZE
        asked = [request.name for request in api.requests if (request.verb, request.resource) == ("GET", "gangjobs")]
        assert len(asked) <= 2 * GANGS
        await until(lambda: all("deletionTimestamp" in it["metadata"] for name in NAMES for it in pods_of(api, name)))


async def test_deletion_is_no_attempt_that_was_undone(caplog):
    caplog.set_level(logging.INFO)
    async with operator_over(gangs=[gang("g")]) as (api, _):
        await until(lambda: is_placed(api))
        # A foreign finalizer keeps the object, so that its end can be reported.
        api.store.change(gang_place("g"), metadata={"deletionTimestamp": "2027-01-15T08:00:00Z"})
        await until(lambda: condition(api, "g", "Placed") == ("False", "GangDeleted"))
        await asyncio.sleep(5)

        assert not pods_of(api, "g")
        assert event_reasons(api) == ["GangPlaced"]
    assert "the gang was deleted, and its members are deleted too" in caplog.messages
    assert not [message for message in caplog.messages if "undone" in message]
