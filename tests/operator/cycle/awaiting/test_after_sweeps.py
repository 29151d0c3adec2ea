"""Gangs that wait for a sweep to start or end, on a fake API server."""

import pytest

from builders.served import gang
from fake_cluster.jumping import until
from fake_cluster.rig import condition, is_placed, operator_over, status_of
from fake_cluster.sweeps import ending, status, sweep

pytestmark = pytest.mark.asyncio


def late(**terms):
    """A GangJob that waits for the sweep."""
    return gang("late", size=1, spec={"after": [{"name": "s", "kind": "GangSweep", **terms}]})


def outcome(api):
    [one] = status_of(api, "late").get("after") or [{}]
    return one.get("outcome")


async def until_waits(api):
    await until(lambda: condition(api, "late", "Planned") == ("False", "AwaitsOthers"))


async def test_gang_starts_once_the_sweep_is_complete():
    async with operator_over(gangs=[late()], sweeps=True) as (api, _), ending(api):
        await until_waits(api)
        assert "GangSweep s" in next(
            one["message"] for one in status_of(api, "late")["conditions"] if one["type"] == "Planned"
        )
        api.store.create("gangsweeps", sweep(runs=3))
        await until(lambda: outcome(api) == "Succeeded")
        assert status(api)["state"] == "Complete"
        await until(lambda: is_placed(api, "late"))


async def test_gang_starts_with_the_sweep():
    async with operator_over(gangs=[late(when="Started")], sweeps=True) as (api, _), ending(api, seconds=3600.0):
        await until_waits(api)
        api.store.create("gangsweeps", sweep(runs=1))
        await until(lambda: is_placed(api, "late"))
        assert outcome(api) == "Started"
        assert status(api)["state"] != "Complete"


@pytest.mark.parametrize(
    ("when", "want"),
    [pytest.param("Succeeded", "DependencyNeverSatisfied", id="succeeded"), pytest.param("Failed", None, id="failed")],
)
async def test_sweep_that_fails_is_a_failure(when, want):
    async with operator_over(gangs=[late(when=when)], sweeps=True) as (api, _), ending(api, fails=lambda _: True):
        api.store.create("gangsweeps", sweep(runs=2, maxFailed=0))
        await until(lambda: outcome(api) == "Failed")
        if want is None:
            await until(lambda: is_placed(api, "late"))
        else:
            await until(lambda: condition(api, "late", "Failed") == ("True", want))


async def test_sweep_that_is_missing_ends_a_gang_that_does_not_wait_for_one():
    async with operator_over(gangs=[late(missing="Fail")], sweeps=True) as (api, _):
        await until(lambda: condition(api, "late", "Failed") == ("True", "DependencyNeverSatisfied"))
