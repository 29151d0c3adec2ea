"""Predecessors that are deleted as soon as they have ended, and successors that may change their size."""

import asyncio
from itertools import pairwise

import pytest

from builders.served import gang, node
from fake_cluster.api import PATCH, Refusal
from fake_cluster.elastic import elastic
from fake_cluster.jumping import until
from fake_cluster.rig import condition, is_placed, operator_over, pods_of, set_phases, status_of
from fake_cluster.sweeps import run_names, status, sweep

pytestmark = pytest.mark.asyncio


def waiting(name, other, **spec):
    return gang(name, spec={"after": [{"name": other, "kind": "GangJob"}], **spec})


async def run_to_its_end(api, name):
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")
    await until(lambda: "startedAt" in status_of(api, name))
    set_phases(api, name, "Succeeded")


async def test_chain_whose_gangs_are_deleted_at_their_end_runs_to_its_own():
    """Each has a time to live of 0 s: its successor has its end, though the object is gone."""
    names = ["a", "b", "c", "d"]
    gangs = [gang("a", spec={"ttlSecondsAfterFinished": 0})]
    gangs += [waiting(name, other, ttlSecondsAfterFinished=0) for other, name in pairwise(names[:-1])]
    async with operator_over(gangs=[*gangs, waiting("d", "c")]) as (api, _):
        for name in names[:-1]:
            await run_to_its_end(api, name)
            await until(lambda name=name: name not in run_names(api))
        await until(lambda: is_placed(api, "d"))
        assert [one["outcome"] for one in status_of(api, "d")["after"]] == ["Succeeded"]


async def test_end_is_recorded_before_the_gang_is_deleted():
    """While the successor's status is refused, the predecessor with a time to live of 0 s stays."""
    refused = Refusal(code=500, message="not now")
    async with operator_over(gangs=[gang("a", spec={"ttlSecondsAfterFinished": 0}), waiting("late", "a")]) as (api, _):
        await until(lambda: condition(api, "late", "Planned") == ("False", "AwaitsOthers"))
        await until(lambda: is_placed(api, "a"))
        api.fault = lambda request: refused if request == (PATCH, "gangjobs/status", "late") else None
        await run_to_its_end(api, "a")
        await asyncio.sleep(120)
        api.fault = lambda _: None
        await until(lambda: is_placed(api, "late"))
        await until(lambda: "a" not in run_names(api))


async def test_elastic_gang_holds_nothing_until_the_other_one_has_ended():
    nodes = [node(f"n{number}", cpu="2") for number in range(4)]
    late = elastic("late", after=[{"name": "first", "kind": "GangJob"}])
    async with operator_over(*nodes, gangs=[gang("first"), late]) as (api, _):
        await until(lambda: is_placed(api, "first"))
        await asyncio.sleep(60)
        assert pods_of(api, "late") == []
        await run_to_its_end(api, "first")
        await until(lambda: is_placed(api, "late"))
        assert [one["outcome"] for one in status_of(api, "late")["after"]] == ["Succeeded"]


async def test_run_of_a_sweep_stays_until_its_successor_knows_its_end():
    """The sweep counts the run at once, and deletes its GangJob once the other gang has recorded the end."""
    refused = Refusal(code=500, message="not now")
    async with operator_over(gangs=[waiting("late", "s-0")], sweeps=True) as (api, _):
        await until(lambda: condition(api, "late", "Planned") == ("False", "AwaitsOthers"))
        api.store.create("gangsweeps", sweep(runs=1))
        await until(lambda: "s-0" in run_names(api) and is_placed(api, "s-0"))
        api.fault = lambda request: refused if request == (PATCH, "gangjobs/status", "late") else None
        await run_to_its_end(api, "s-0")
        await until(lambda: status(api).get("state") == "Complete")
        await asyncio.sleep(60)
        assert "s-0" in run_names(api)
        api.fault = lambda _: None
        await until(lambda: is_placed(api, "late"))
        await until(lambda: "s-0" not in run_names(api))
