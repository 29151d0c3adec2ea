"""Lives in which a gang gives way to a more urgent one: it is evicted, or some of its members go."""

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from builders.manifests import priority_class
from crashes.stage import MEMBERS, PATIENCE_SECONDS, RESTART, SIZE, Stage
from eventually import eventually
from lockstep.api.quantities import epoch_seconds

# A start is noted in whole seconds. After so many, an eviction loses more than the restart of one second.
_RUNNING_SECONDS = 2


def give_way(stage: Stage) -> None:
    """Placed; evicted for a more urgent gang; placed again, whole, when that has ended."""
    stage.submit(size=2 * SIZE)
    eventually(lambda: "startedAt" in stage.arena.status(stage.name), seconds=PATIENCE_SECONDS)
    run_urgent_gang(stage)
    eventually(lambda: stage.arena.status(stage.name)["attempt"] > 1, seconds=PATIENCE_SECONDS)
    stage.until("Placed")
    assert stage.arena.status(stage.name)["attempt"] == 2, "it was evicted once"
    assert stage.arena.status(stage.name).get("restarts", 0) == 0
    assert len(stage.arena.pods(stage.name)) == 2 * SIZE


def shrink_by_restart(stage: Stage) -> None:
    """Placed; restarts with fewer members for a more urgent gang, and with all of them when that has ended."""
    _shrink(stage, RESTART)
    ever = Counter(pod.attempt for pod in stage.seen.ever.values() if pod.gang == stage.name)
    assert [ever[1], ever[2]] == [2 * SIZE, SIZE], "it went on at the smaller size at once"


def shrink_by_members(stage: Stage) -> None:
    """Placed; some members leave for a more urgent gang, others join when that has ended; the rest run on."""
    stage.rejoining = stage.name
    _shrink(stage, MEMBERS)
    assert stage.arena.status(stage.name)["attempt"] == 1
    assert len(stage.seen.uids(stage.name)) == 3 * SIZE, "those that stayed run on"


def _shrink(stage: Stage, terms: Mapping[str, Any]) -> None:
    stage.submit(size=(SIZE, 2 * SIZE), work={"serialTime": "400h"}, elastic=terms)
    eventually(lambda: _has_run(stage), seconds=PATIENCE_SECONDS)
    assert stage.arena.status(stage.name)["size"] == 2 * SIZE
    run_urgent_gang(stage)
    eventually(lambda: _has_size(stage, 2 * SIZE), seconds=PATIENCE_SECONDS)
    preempted = stage.arena.condition(stage.name, "Preempted")
    assert (preempted["status"], preempted["reason"]) == ("False", "ShrunkForGang"), "no member is evicted"
    assert stage.arena.status(stage.name).get("restarts", 0) == 0


def run_urgent_gang(stage: Stage) -> None:
    """Submit a more urgent gang, and wait until it has succeeded."""
    urgency = f"{stage.name}-urgency"
    stage.arena.create(priority_class(urgency, 1000, policy="PreemptLowerPriority"))
    urgent = stage.submit_another("urgent", run_for="200ms", priorityClassName=urgency)
    stage.arena.until_complete(urgent, seconds=PATIENCE_SECONDS)
    # An operator that ends before it has written that the victim is gone leaves its room taken: then there is a second.
    assert stage.arena.status(urgent)["attempt"] <= 2


def _has_run(stage: Stage) -> bool:
    started = stage.arena.status(stage.name).get("startedAt")
    return started is not None and time.time() > epoch_seconds(started) + _RUNNING_SECONDS


def _has_size(stage: Stage, size: int) -> bool:
    """Whether the gang is placed with so many members, and has no others."""
    status = stage.arena.status(stage.name)
    is_settled = "startedAt" in status and "next" not in status and len(stage.arena.pods(stage.name)) == size
    return is_settled and status["size"] == size
