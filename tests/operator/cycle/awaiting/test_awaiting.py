"""Gangs that wait for others to start or end, on a fake API server."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster import pod_gangs
from fake_cluster.api import GET
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    api_with,
    condition,
    event_reasons,
    gang_place,
    is_placed,
    messages_of,
    operator_over,
    pods_of,
    running_operator,
    set_phase,
    set_phases,
    status_of,
)

pytestmark = pytest.mark.asyncio

WAITS = ("False", "AwaitsOthers")
NEVER = ("True", "DependencyNeverSatisfied")


def after(*names, **terms):
    """A GangJob that waits for others of these names."""
    return gang("late", spec={"after": [{"name": name, "kind": "GangJob", **terms} for name in names]})


def set_spec(api, name, **fields):
    """Change a gang's spec as its owner would."""
    generation = api.store.get(gang_place(name))["metadata"]["generation"]
    api.store.change(gang_place(name), metadata={"generation": generation + 1}, spec=fields)


def entries(api):
    """The outcomes that the successor's status has, by name; None before one."""
    return {one["name"]: one.get("outcome") for one in status_of(api, "late").get("after", ())}


async def until_runs(api, name):
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")
    await until(lambda: "startedAt" in status_of(api, name))


async def end(api, name, phase="Succeeded"):
    """Let a gang run and end; returns when its status says so."""
    await until_runs(api, name)
    set_phases(api, name, phase)
    kind = "Complete" if phase == "Succeeded" else "Failed"
    await until(lambda: (condition(api, name, kind) or ("",))[0] == "True")


async def until_waits(api):
    await until(lambda: condition(api, "late", "Planned") == WAITS)


async def test_gang_starts_only_once_the_other_one_has_succeeded():
    async with operator_over(gangs=[gang("first"), after("first")]) as (api, parts):
        await until_waits(api)
        await until_runs(api, "first")
        await asyncio.sleep(600)

        assert not pods_of(api, "late")
        assert "It waits until first has succeeded." in messages_of(api)
        assert parts.metric("lockstep_oldest_pending_seconds") in (None, 0)

        await end(api, "first")
        ended = now()
        await until(lambda: is_placed(api, "late"))

        assert now() - ended < 10
        assert entries(api) == {"first": "Succeeded"}


@pytest.mark.parametrize(
    ("when", "ends"),
    [("Failed", "Failed"), ("Ended", "Failed"), ("Ended", "Succeeded"), ("Succeeded", "Succeeded")],
)
async def test_gang_starts_after_the_end_that_it_waits_for(when, ends):
    async with operator_over(gangs=[gang("first"), after("first", when=when)]) as (api, _):
        await end(api, "first", ends)
        await until(lambda: is_placed(api, "late"))


async def test_gang_that_waits_for_a_start_starts_beside_the_other_one():
    async with operator_over(gangs=[gang("first"), after("first", when="Started")]) as (api, _):
        await until_waits(api)
        await until_runs(api, "first")
        await until(lambda: is_placed(api, "late"))

        assert entries(api) == {"first": "Started"}
        assert condition(api, "first", "Complete") == ("False", "NotFinished")


@pytest.mark.parametrize(("when", "ends"), [("Failed", "Succeeded"), ("Succeeded", "Failed")])
async def test_gang_fails_once_what_it_waits_for_can_never_happen(when, ends):
    async with operator_over(gangs=[gang("first"), after("first", when=when)]) as (api, parts):
        await end(api, "first", ends)
        await until(lambda: condition(api, "late", "Failed") == NEVER)
        await asyncio.sleep(600)

        assert "startedAt" not in status_of(api, "late")
        assert status_of(api, "late")["attempt"] == 0
        assert f"This gang starts only once first has {when.lower()}, but it has" in status_of(api, "late")["summary"]
        assert parts.metric("lockstep_gangs_ended_total", reason="DependencyNeverSatisfied") == 1


async def test_gang_waits_for_one_that_does_not_exist_yet():
    async with operator_over(gangs=[after("first")]) as (api, _):
        await until_waits(api)
        await asyncio.sleep(600)
        assert "It waits until first has succeeded (there is no such GangJob yet)." in messages_of(api)

        api.store.create("gangjobs", gang("first"))
        await end(api, "first")
        await until(lambda: is_placed(api, "late"))


async def test_gang_that_wants_no_missing_one_fails_once_the_api_server_has_none():
    async with operator_over(gangs=[after("first", missing="Fail")]) as (api, _):
        await until(lambda: condition(api, "late", "Failed") == NEVER)

        asked = [one for one in api.requests if one[:2] == (GET, "gangjobs") and one.name == "first"]
        assert len(asked) == 1
        assert "There is no GangJob first" in status_of(api, "late")["summary"]
        assert event_reasons(api).count("GangFailed") == 1


async def test_gang_that_wants_no_missing_one_waits_for_one_that_is_there():
    async with operator_over(gangs=[gang("first"), after("first", missing="Fail")]) as (api, _):
        await end(api, "first")
        await until(lambda: is_placed(api, "late"))


async def test_gang_does_not_fail_for_one_that_watches_have_not_shown_yet():
    async with operator_over(gangs=[gang("first")]) as (api, parts):
        await until_runs(api, "first")
        known = next(one for one in parts.state.gangs.values() if one.key.name == "first")
        parts.state.remove_gang(known.key, known.uid)
        api.store.create("gangjobs", after("first", missing="Fail"))
        await until(lambda: entries(api) == {"first": None})
        await asyncio.sleep(60)

        assert condition(api, "late", "Planned") == WAITS


async def test_deletion_before_the_end_counts_as_missing():
    async with operator_over(gangs=[gang("first"), after("first", missing="Fail")]) as (api, _):
        await until(lambda: entries(api) == {"first": None})
        await until_runs(api, "first")
        api.store.remove(gang_place("first"))
        await until(lambda: condition(api, "late", "Failed") == NEVER)


async def test_next_gang_of_the_name_counts_if_the_first_has_not_ended():
    async with operator_over(gangs=[gang("first"), after("first")]) as (api, _):
        await until(lambda: entries(api) == {"first": None})
        uid = status_of(api, "late")["after"][0]["uid"]
        await until_runs(api, "first")
        api.store.remove(gang_place("first"))
        await until(lambda: not entries(api))
        await until(lambda: not pods_of(api, "first"))
        api.store.create("gangjobs", gang("first", uid="another"))
        await end(api, "first")
        await until(lambda: is_placed(api, "late"))

        assert status_of(api, "late")["after"][0]["uid"] != uid


async def test_recorded_end_stays_though_the_other_one_is_deleted_and_made_anew():
    suspended = gang("late", spec={"suspend": True, "after": [{"name": "first", "kind": "GangJob"}]})
    async with operator_over(gangs=[gang("first"), suspended]) as (api, _):
        await end(api, "first")
        await until(lambda: entries(api) == {"first": "Succeeded"})
        api.store.remove(gang_place("first"))
        await until(lambda: not pods_of(api, "first"))
        api.store.create("gangjobs", gang("first", uid="another"))
        await until_runs(api, "first")
        set_spec(api, "late", suspend=False)
        await until(lambda: is_placed(api, "late"))


async def test_all_entries_have_to_be_met():
    async with operator_over(gangs=[gang("one"), gang("two"), after("one", "two")]) as (api, _):
        await end(api, "one")
        await until(lambda: entries(api) == {"one": "Succeeded", "two": None})
        await asyncio.sleep(600)
        assert not pods_of(api, "late")
        await end(api, "two")
        await until(lambda: is_placed(api, "late"))


async def test_waiting_gang_grows_no_older_than_one_that_could_run():
    async with operator_over(gangs=[gang("first"), after("first")]) as (api, _):
        await until_waits(api)
        await until_runs(api, "first")
        await asyncio.sleep(600)

        assert status_of(api, "late")["waitedSeconds"] == 0
        assert "plan" not in status_of(api, "late")


async def test_next_operator_goes_on_from_the_status():
    async with api_with(gangs=[gang("first"), after("first")]) as api:
        async with running_operator(api):
            await until(lambda: entries(api) == {"first": None})
            await until_runs(api, "first")
        set_phases(api, "first", "Succeeded")
        async with running_operator(api):
            await until(lambda: entries(api) == {"first": "Succeeded"})
        api.store.remove(gang_place("first"))
        async with running_operator(api):
            await until(lambda: is_placed(api, "late"))


async def test_entry_that_is_removed_is_waited_for_no_more():
    async with operator_over(gangs=[after("first")]) as (api, _):
        await until_waits(api)
        set_spec(api, "late", after=None)
        await until(lambda: is_placed(api, "late"))


async def test_gang_waits_for_a_gang_of_pods_to_succeed():
    async with operator_over(node("n1", cpu="64"), gangs=[after("heat", kind="Gang")]) as (api, _):
        pod_gangs.create(api, "a", "b")
        await until(lambda: pod_gangs.is_placed(api))
        await asyncio.sleep(60)
        assert not pods_of(api, "late")
        for pod in pod_gangs.bound(api):
            set_phase(api, pod, "Succeeded")
        await until(lambda: is_placed(api, "late"))


async def test_gang_of_pods_waits_for_a_gang_job():
    async with operator_over(node("n1", cpu="64"), gangs=[gang("first")]) as (api, _):
        pod_gangs.create(api, "a", "b", after=[{"name": "first", "kind": "GangJob"}])
        await until(lambda: pod_gangs.conditions(api).get("Planned") == WAITS)
        await end(api, "first")
        await until(lambda: pod_gangs.is_placed(api))


async def test_gang_of_pods_that_waits_in_vain_stays():
    async with operator_over(node("n1", cpu="64"), gangs=[gang("first")]) as (api, _):
        pod_gangs.create(api, "a", "b", after=[{"name": "first", "kind": "GangJob"}])
        await end(api, "first", "Failed")
        await until(lambda: pod_gangs.conditions(api).get("Planned") == ("False", "DependencyNeverSatisfied"))
        await asyncio.sleep(600)
        names = {pod["metadata"]["name"] for pod in api.store.objects("pods")}
        assert names >= {"a", "b"}
        assert not {pod["metadata"]["name"] for pod in pod_gangs.bound(api)} & {"a", "b"}
