"""Gangs with roles: pods of each role take the seats of that role, whatever else they have in common."""

import asyncio

import pytest

from builders.served import priority_class
from fake_cluster.api import DRY_RUN, REFUSED
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import (
    BINDING,
    HEAT,
    add_pods,
    attempts,
    bound,
    changes_of_pods,
    conditions,
    create,
    is_placed,
    message,
    stop_after,
)
from fake_cluster.rig import api_with, operator_over, pod_place, running_operator

pytestmark = pytest.mark.asyncio

ROLE = "lockstep.dev/role"
ROLES = {
    "roles": [
        {"name": "launcher", "size": {"min": 1, "max": 1}},
        {"name": "workers", "size": {"min": 2, "max": 6}},
    ]
}


def add(api, role, *names, **more):
    add_pods(api, *names, labels={ROLE: role}, **more)


def names(api):
    return sorted(pod["metadata"]["name"] for pod in bound(api))


async def test_pods_of_one_role_do_not_stand_in_for_those_of_another():
    async with operator_over() as (api, _):
        create(api, least=3, **ROLES)
        add(api, "workers", "w1", "w2", "w3")
        await asyncio.sleep(30)
        assert bound(api) == []
        assert message(api, "Planned").startswith("0 of the 1 needed pods of role launcher")

        add(api, "launcher", "z")
        await until(lambda: is_placed(api))
        assert names(api) == ["w1", "w2", "w3", "z"]


async def test_launcher_is_bound_where_only_some_of_the_workers_find_room():
    """All pods ask for the same, so by their names alone the launcher would be the last."""
    async with operator_over() as (api, _):
        create(api, least=3, **ROLES)
        add(api, "workers", "a", "b", "c", "d", "e")
        add(api, "launcher", "z")
        await until(lambda: is_placed(api))

        assert "z" in names(api)
        assert len(names(api)) == 4


async def test_pods_that_fail_are_replaced_within_their_role():
    async with operator_over() as (api, _):
        create(api, least=2, roles=[{"name": role, "size": {"min": 1, "max": 1}} for role in ("launcher", "workers")])
        add(api, "launcher", "z")
        add(api, "workers", "w1")
        await until(lambda: is_placed(api))
        add(api, "workers", "w2")
        await asyncio.sleep(60)
        assert names(api) == ["w1", "z"]
        assert "1 of at most 1 pods of role workers are on nodes" in message(api, "Planned")

        api.store.remove(pod_place("w1"))
        await until(lambda: names(api) == ["w2", "z"])
        assert changes_of_pods(api) == []


async def test_next_process_binds_the_rest_to_the_seats_of_their_roles():
    async with api_with() as api:
        create(api, least=3, **ROLES)
        add(api, "workers", "w1", "w2")
        add(api, "launcher", "z")
        await stop_after(api, {"w1"})
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert set(attempts(api).values()) == {"1"}


async def test_roles_that_are_removed_while_pods_are_bound_change_nothing_of_the_attempt():
    async with api_with() as api:
        create(api, least=3, **ROLES)
        add(api, "workers", "w1", "w2")
        add(api, "launcher", "z")
        await stop_after(api, {"w1"})
        api.store.change(HEAT, spec={"roles": []})
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert set(attempts(api).values()) == {"1"}


async def test_role_that_a_pod_loses_before_its_binding_costs_an_attempt_and_no_pod():
    async with operator_over() as (api, _):
        api.fault = lambda it: REFUSED if (it.verb, it.resource) == (DRY_RUN, BINDING) else None
        create(api, least=3, **ROLES)
        add(api, "workers", "w1", "w2")
        add(api, "launcher", "z")
        await asyncio.sleep(5)
        label_anew(api, "z", "workers")
        api.fault = lambda _: None
        await until(lambda: "role launcher" in message(api, "Planned"))
        assert bound(api) == []

        label_anew(api, "z", "launcher")
        await until(lambda: is_placed(api))
        assert changes_of_pods(api) == []


def label_anew(api, name, role):
    place = pod_place(name)
    metadata = api.store.get(place)["metadata"]
    api.store.change(place, metadata={**metadata, "labels": {**metadata["labels"], ROLE: role}})


async def test_gang_whose_pods_have_another_class_is_refused_with_a_sentence_until_they_agree():
    async with operator_over() as (api, _):
        api.store.create("priorityclasses", priority_class("urgent", 100))
        create(api, least=1, priorityClassName="urgent")
        add_pods(api, "a")
        await until(lambda: conditions(api).get("Accepted", ("",))[0] == "False")
        assert "the Gang has the priority class urgent, and pod a has no priority class" in message(api, "Accepted")

        api.store.remove(pod_place("a"))
        add_pods(api, "b", priorityClassName="urgent")
        await until(lambda: is_placed(api))
