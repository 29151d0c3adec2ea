"""One gang that makes a step raise is set aside for a while; nothing of it is lost, and the others go on."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import gang, node
from fake_cluster.jumping import now, until
from fake_cluster.rig import gang_place, is_placed, operator_over, pods_of, set_phases, status_of
from lockstep.cycle.follow import Follower

pytestmark = pytest.mark.asyncio


@pytest.fixture
def broken(monkeypatch):
    """The names of gangs that can't be followed."""
    names, reconcile = set(), Follower._reconcile_idle

    def reconcile_or_raise(self, gang, now):
        if gang.key.name in names:
            raise ValueError("cannot be followed")
        reconcile(self, gang, now)

    monkeypatch.setattr(Follower, "_reconcile_idle", reconcile_or_raise)
    return names


async def test_gang_that_cannot_be_followed_costs_no_other_its_changes(broken, caplog):
    names = ["a", "b", "c"]
    async with operator_over(node("n1"), gangs=[gang(name) for name in names]) as (api, parts):
        await until(lambda: all(is_placed(api, name) for name in names))
        broken.add("b")
        for name in names:
            set_phases(api, name, "Running")
        await until(lambda: all("startedAt" in status_of(api, name) for name in "ac"), seconds=5)

        assert parts.metric("lockstep_gang_errors_total", stage="follow") >= 1
        assert parts.metric("lockstep_cycles_total", result="error") == 0
        assert {(record.gang, record.getMessage()) for record in caplog.records} == {
            ("default/b", "the gang could not be checked, and is checked again later")
        }


@asynccontextmanager
async def gang_that_cannot_be_followed(broken):
    """A placed gang whose members run by now, of which the operator cannot take note."""
    async with operator_over(node("n1"), gangs=[gang("g")]) as (api, parts):
        await until(lambda: is_placed(api))
        broken.add("g")
        set_phases(api, "g", "Running")
        await until(lambda: parts.metric("lockstep_gang_errors_total", stage="follow"))
        yield api, parts


async def test_change_of_a_gang_that_could_not_be_followed_is_kept(broken):
    async with gang_that_cannot_be_followed(broken) as (api, _):
        broken.clear()

        await until(lambda: "startedAt" in status_of(api), seconds=15)


async def test_gang_that_cannot_be_followed_is_not_reconciled_in_a_tight_loop(broken):
    async with gang_that_cannot_be_followed(broken) as (api, parts):
        await asyncio.sleep(100)

        assert 9 <= parts.metric("lockstep_gang_errors_total", stage="follow") <= 12
        assert pods_of(api, "g") != []


async def test_step_of_the_clock_does_not_keep_a_gang_set_aside(broken):
    async with gang_that_cannot_be_followed(broken) as (api, parts):
        broken.clear()
        parts.cycle._now = lambda: now() - 3600

        await until(lambda: "startedAt" in status_of(api), seconds=15)


async def test_deleted_gang_that_was_set_aside_is_forgotten(broken):
    async with gang_that_cannot_be_followed(broken) as (api, parts):
        api.store.remove(gang_place("g"))

        await until(lambda: not parts.state.changes.gangs)
        assert parts.state.reservations == {}


async def test_cycle_that_raises_loses_no_changes(monkeypatch):
    async with operator_over(node("n1"), gangs=[gang("g")]) as (api, parts):
        await until(lambda: is_placed(api))
        monkeypatch.setattr(Follower, "reconcile_changed", lambda *_: 1 / 0)
        set_phases(api, "g", "Running")
        await until(lambda: parts.metric("lockstep_cycles_total", result="error"))
        monkeypatch.undo()

        await until(lambda: "startedAt" in status_of(api))
