"""Pods of a Gang read which others there are: in one ConfigMap, which is there before the first pod is bound."""

import asyncio

import pytest

from fake_cluster.api import REFUSED
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import (
    BINDING,
    add_pods,
    attempts,
    bindings,
    bound,
    changes_of_pods,
    conditions,
    create,
    is_placed,
    message,
    stop_after,
)
from fake_cluster.rig import DEFAULT, api_with, event_reasons, operator_over, pod_place, running_operator
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

LIST = Place("configmaps", DEFAULT, "heat.hosts")
WANTED = {"hosts": "ConfigMap"}


def listed(api):
    """The hosts, and for each pod its rank, its name and its node."""
    data = api.store.get(LIST)["data"]
    return data["hosts"].split(), [tuple(line.split()) for line in data["members"].splitlines()]


def nodes(api):
    return {pod["metadata"]["name"]: pod["spec"]["nodeName"] for pod in bound(api)}


def writes(api):
    return [it.verb for it in api.writes if it.resource == "configmaps"]


def somebody_s(**more):
    return {"metadata": {"name": LIST.name, "namespace": DEFAULT, **more}, "data": {"hosts": "mine"}}


async def test_gang_that_does_not_ask_has_no_list():
    async with operator_over() as (api, _):
        create(api, "a", "b")
        await until(lambda: is_placed(api))

        assert [it for it in api.requests if it.resource == "configmaps"] == []


async def test_list_is_there_before_the_first_binding_and_goes_with_the_gang():
    async with operator_over() as (api, _):
        create(api, "b", "a", **WANTED)
        await until(lambda: is_placed(api))
        hosts, members = listed(api)
        [owner] = api.store.get(LIST)["metadata"]["ownerReferences"]
        kinds = [it.resource for it in api.writes if it.resource in ("configmaps", BINDING)]

        assert hosts == ["a", "b"]
        assert members == [("0", "a", nodes(api)["a"]), ("1", "b", nodes(api)["b"])]
        assert (owner["kind"], owner["name"], owner["controller"]) == ("Gang", "heat", True)
        assert kinds == ["configmaps", BINDING, BINDING]


@pytest.mark.parametrize(
    ("spec", "want_host"),
    [
        pytest.param({"hostname": "heat-0", "subdomain": "heat"}, "heat-0.heat", id="a name below a Service"),
        pytest.param({"hostname": "heat-0"}, "a", id="a hostname alone is not in DNS"),
        pytest.param({"subdomain": "heat"}, "a", id="neither is a subdomain"),
    ],
)
async def test_host_is_the_name_that_dns_has(spec, want_host):
    async with operator_over() as (api, _):
        create(api, least=1, **WANTED)
        add_pods(api, "a", **spec)
        await until(lambda: is_placed(api))

        assert listed(api)[0] == [want_host]


async def test_pod_that_comes_later_is_listed_beside_those_that_run_and_not_those_that_are_gone():
    async with operator_over() as (api, _):
        create(api, "a", "b", **WANTED)
        await until(lambda: is_placed(api))
        api.store.remove(pod_place("a"))
        add_pods(api, "c")
        await until(lambda: {"b", "c"} <= nodes(api).keys() and is_placed(api))

        assert listed(api)[1] == [("0", "c", nodes(api)["c"]), ("1", "b", nodes(api)["b"])]
        assert writes(api) == ["POST", "PUT"]


async def test_foreign_list_is_left_alone_and_nothing_is_bound():
    async with operator_over() as (api, _):
        api.store.create("configmaps", somebody_s())
        create(api, "a", "b", **WANTED)
        await asyncio.sleep(100)

        assert bound(api) == []
        assert api.store.get(LIST)["data"] == {"hosts": "mine"}
        assert "ConfigMap heat.hosts exists already" in message(api, "Placed")
        api.store.remove(LIST)
        await until(lambda: is_placed(api))
        assert listed(api)[0] == ["a", "b"]
        assert changes_of_pods(api) == []


async def test_list_of_a_gangjob_of_that_name_is_foreign():
    owner = {"apiVersion": "lockstep.dev/v1alpha1", "kind": "GangJob", "name": "heat", "uid": "u", "controller": True}
    async with operator_over() as (api, _):
        api.store.create("configmaps", somebody_s(ownerReferences=[owner]))
        create(api, "a", **WANTED)
        await asyncio.sleep(100)

        assert bound(api) == []


async def test_list_of_an_earlier_gang_of_that_name_is_awaited():
    owner = {"apiVersion": "lockstep.dev/v1alpha1", "kind": "Gang", "name": "heat", "uid": "old", "controller": True}
    async with operator_over() as (api, _):
        api.store.create("configmaps", somebody_s(ownerReferences=[owner]))
        create(api, "a", **WANTED)
        await asyncio.sleep(30)
        assert bound(api) == []
        api.store.remove(LIST)
        await until(lambda: is_placed(api))

        assert listed(api)[0] == ["a"]


async def test_list_that_is_refused_while_pods_are_on_nodes_is_written_on_the_same_attempt():
    async with api_with(gangs=[]) as api:
        create(api, "a", "b", "c", **WANTED)
        await stop_after(api, {"a"})
        api.store.remove(LIST)
        api.fault = lambda it: REFUSED if (it.verb, it.resource) == ("POST", "configmaps") else None
        async with running_operator(api):
            await asyncio.sleep(20)
            assert len(bound(api)) == 1
            api.fault = lambda _: None
            await until(lambda: is_placed(api))

        assert set(attempts(api).values()) == {"1"}
        assert listed(api)[0] == ["a", "b", "c"]


async def test_event_says_that_the_list_is_refused_while_pods_run():
    async with operator_over() as (api, _):
        create(api, "a", "b", **WANTED)
        await until(lambda: is_placed(api))
        api.store.change(LIST, metadata={"ownerReferences": []})
        add_pods(api, "c")
        await until(lambda: "BindInterrupted" in event_reasons(api))

        [note] = [one["note"] for one in api.store.objects("events") if one["reason"] == "BindInterrupted"]
        assert "ConfigMap heat.hosts exists already" in note
        assert len(bound(api)) == 2


async def test_next_process_writes_no_list_that_is_as_it_should_be():
    async with api_with(gangs=[]) as api:
        create(api, "a", "b", "c", **WANTED)
        await stop_after(api, {"b"})
        before = listed(api)
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert listed(api) == before
        assert [it.verb for it in api.requests if it.resource == "configmaps"].count("PUT") == 0


async def test_list_beyond_a_config_map_is_a_sentence_and_nothing_is_bound(monkeypatch):
    monkeypatch.setattr("lockstep.act.podgang.host_lists.LARGEST_FILES", 10)
    async with operator_over() as (api, _):
        create(api, "a", "b", **WANTED)
        await asyncio.sleep(30)

        assert bound(api) == bindings(api, "POST") == []
        assert conditions(api)["Placed"][0] == "False"
        assert "for 2 pods, and a ConfigMap holds at most 10 bytes" in message(api, "Placed")


async def test_pods_that_come_one_by_one_to_a_large_gang_wait_between_the_writes(monkeypatch):
    """A list of a megabyte would otherwise be written as often as a pod comes."""
    monkeypatch.setattr("lockstep.act.podgang.host_lists._BYTES_A_SECOND", 1)
    async with operator_over() as (api, _):
        create(api, "a", **WANTED)
        await until(lambda: is_placed(api))
        clock = asyncio.get_running_loop().time
        add_pods(api, "b", cpu="1")
        await until(lambda: len(bound(api)) == 2)
        since, written = clock(), sum(map(len, api.store.get(LIST)["data"].values()))
        add_pods(api, "c", cpu="1")
        await until(lambda: len(bound(api)) == 3)

        assert clock() - since >= written
