"""Gangs that wait for others: on a real API server, as users see it."""

import pytest

from builders.manifests import gang
from eventually import eventually

pytestmark = pytest.mark.usefixtures("operator")

WAITS = ("False", "AwaitsOthers")


def says(arena, name, kind="Planned"):
    """(status, reason) of a condition, or None."""
    conditions = arena.status(name).get("conditions", ())
    return next(((one["status"], one["reason"]) for one in conditions if one["type"] == kind), None)


def entries(arena, name):
    """The outcomes that its status has, by name; None before one."""
    return {one["name"]: one.get("outcome") for one in arena.status(name).get("after", ())}


def test_chain_runs_in_its_order_though_each_is_deleted_after_its_end(arena):
    arena.add_nodes(2, cpu="8")
    arena.submit(gang("third", run_for="1s", after=[{"name": "second", "when": "Ended"}]))
    arena.submit(gang("second", run_for="1s", ttlSecondsAfterFinished=5, after=[{"name": "first"}]))
    eventually(lambda: says(arena, "third") == WAITS and says(arena, "second") == WAITS)
    arena.submit(gang("first", run_for="1s", ttlSecondsAfterFinished=5))

    eventually(lambda: says(arena, "third", "Complete") == ("True", "Succeeded"))
    assert entries(arena, "third") == {"second": "Succeeded"}
    assert arena.status("third")["after"][0]["kind"] == "GangJob"


def test_gang_fails_once_the_other_one_has_failed_and_its_own_successor_runs(arena):
    arena.add_nodes(2, cpu="8")
    arena.submit(gang("first", run_for="1s", exit_code="1", after=[]))
    arena.submit(gang("late", after=[{"name": "first"}]))
    arena.submit(gang("cleanup", run_for="1s", after=[{"name": "late", "when": "Failed"}]))

    eventually(lambda: says(arena, "late", "Failed") == ("True", "DependencyNeverSatisfied"))
    eventually(lambda: says(arena, "cleanup", "Complete") == ("True", "Succeeded"))
    assert arena.status("late")["attempt"] == 0


def test_ring_is_refused_with_its_path(arena):
    arena.add_nodes(1, cpu="8")
    arena.submit(gang("one", after=[{"name": "two"}]))
    arena.submit(gang("two", after=[{"name": "one"}]))
    eventually(lambda: says(arena, "one", "Accepted") == ("False", "WaitsForItself"))

    assert "one waits for two, which waits for one" in arena.condition("one", "Accepted")["message"]


def test_missing_one_fails_a_gang_that_does_not_wait_for_it(arena):
    arena.submit(gang("late", after=[{"name": "missing", "missing": "Fail"}]))
    eventually(lambda: says(arena, "late", "Failed") == ("True", "DependencyNeverSatisfied"))
