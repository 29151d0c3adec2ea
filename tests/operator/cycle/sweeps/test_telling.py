"""What users and administrators see of sweeps: events, metrics and the likely end, each bounded."""

import pytest

from builders.served import gang, node
from fake_cluster.jumping import until
from fake_cluster.rig import event_reasons, operator_over
from fake_cluster.sweeps import counts, ending, parameters, run_names, status, sweep

pytestmark = pytest.mark.asyncio

RANGE = {"size": {"min": 1, "max": 4}, "work": {"serialTime": "1h", "overhead": {"perMember": "60s"}}}


def events(api):
    """The events about sweeps, with their notes."""
    return [one for one in api.store.objects("events") if one["regarding"]["kind"] == "GangSweep"]


async def test_life_of_a_sweep_is_a_few_events():
    """It starts, a run fails for good, and it is complete."""
    async with operator_over(sweeps=True) as (api, _), ending(api, fails=lambda name: name == "s-3"):
        api.store.create("gangsweeps", sweep(runs=40))
        await until(lambda: status(api).get("state") == "Complete")
        await until(lambda: "SweepComplete" in event_reasons(api))
        found = events(api)
    assert sorted(one["reason"] for one in found) == ["SweepComplete", "SweepRunFailed", "SweepStarted"]
    [complete] = [one for one in found if one["reason"] == "SweepComplete"]
    assert complete["note"] == "All runs have ended: 39 of 40 runs succeeded, 1 failed."


async def test_failures_beyond_the_first_ten_are_no_events():
    """However many runs fail, ten of them are said, and the end with its counts."""
    async with operator_over(sweeps=True) as (api, _), ending(api, fails=lambda _: True):
        api.store.create("gangsweeps", sweep(runs=60))
        await until(lambda: status(api).get("state") == "Complete")
        await until(lambda: "SweepComplete" in event_reasons(api))
        assert event_reasons(api).count("SweepRunFailed") == 10


async def test_size_that_changes_is_an_event_and_is_counted():
    """The last runs of sixteen get more members than the first ones."""
    async with operator_over(sweeps=True) as (api, parts):
        api.store.create("gangsweeps", sweep(runs=18, template={**gang("x")["spec"], **RANGE}))
        async with ending(api, seconds=40):
            await until(lambda: "SweepSizeChanged" in event_reasons(api))
        assert parts.metric("lockstep_sweep_size_changes_total") == event_reasons(api).count("SweepSizeChanged")


async def test_refused_sweep_says_so_once():
    """Its parameters are tried again and again; the sentence is one event."""
    async with operator_over(sweeps=True) as (api, _):
        api.store.create("configmaps", parameters("A\n1\n", immutable=False))
        api.store.create("gangsweeps", sweep(runs=None, parametersFrom={"configMap": "p"}))
        await until(lambda: "SweepRefused" in event_reasons(api))
        assert event_reasons(api) == ["SweepRefused"]


async def test_runs_are_counted_once_each_by_outcome():
    """Three of nine fail, are made again, and succeed."""
    async with operator_over(sweeps=True) as (api, parts), ending(api, fails=lambda name: name in {"s-1", "s-2"}):
        api.store.create("gangsweeps", sweep(runs=9))
        await until(lambda: status(api).get("state") == "Complete")
        assert counts(api) == (7, 2)
        assert parts.metric("lockstep_sweep_runs_ended_total", outcome="succeeded") == 7
        assert parts.metric("lockstep_sweep_runs_ended_total", outcome="failed") == 2


async def test_likely_end_is_in_the_status_while_runs_hold_nodes():
    """By run times at first; gone when the sweep has ended."""
    async with operator_over(node("n1", cpu="2"), sweeps=True) as (api, _):
        template = {**gang("x")["spec"], "work": {"serialTime": "1h"}}
        api.store.create("gangsweeps", sweep(runs=2, template=template))
        await until(lambda: run_names(api))
        await until(lambda: "expectedFinish" in status(api))
        async with ending(api):
            await until(lambda: status(api).get("state") == "Complete")
        assert status(api).get("expectedFinish") is None
