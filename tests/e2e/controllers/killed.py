"""A scene in which the operator is killed at a write of a life: all pods are placed anew, and none counts.

A life with a real controller takes ten seconds, so each kind has a point of its own. ``make crashes`` goes through all
points on a fake API server.
"""

import random

from crashes.strikes import KillOperator
from e2e.controllers.owners import Owners
from e2e.controllers.scenes import Stage, begun_anew
from live.proxy import Asked, Moment

# Each life has more writes than these.
_WRITES = range(1, 16)


class WriteTrap:
    """Kills the operator at the n-th of its writes in a namespace, once."""

    def __init__(self, stage: Stage, number: int, moment: Moment) -> None:
        self._namespace = stage.arena.namespace
        self._strike = KillOperator(stage.operator)
        self._number = number
        self._moment = moment
        self._writes: list[Asked] = []
        self.has_sprung = False

    def witness(self, asked: Asked, moment: Moment) -> bool:
        """See a request; it does not go on where it is the one."""
        is_write = asked.verb != "GET" and "dryRun" not in asked.text
        if self.has_sprung or not is_write or f"/{self._namespace}/" not in asked.text:
            return True
        if moment is Moment.BEFORE:
            self._writes.append(asked)
        # By identity: another request may be on its way beside it, and may read the same.
        is_reached = len(self._writes) >= self._number and self._writes[self._number - 1] is asked
        if moment is not self._moment or not is_reached:
            return True
        self.has_sprung = True
        self._strike.strike()
        return False


def begun_anew_though_killed(stage: Stage, owners: Owners) -> None:
    """The operator is killed at a write, and goes on with what it finds."""
    draw = random.Random(owners.plural)  # noqa: S311 - cases of a test are no secrets
    trap = WriteTrap(stage, draw.choice(_WRITES), draw.choice([*Moment]))
    stage.proxy.witness = trap.witness

    begun_anew(stage, owners)

    assert trap.has_sprung
