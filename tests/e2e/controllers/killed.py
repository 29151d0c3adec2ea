"""Scenes in which the operator is killed at a write of a life: all pods are placed anew, and none counts.

A life with a real controller takes ten seconds, so each kind has a point of its own. With ``LOCKSTEP_E2E_KILLS=each``
there is a scene for each point. ``make crashes`` goes through all points of more lives on a fake API server.
"""

import os
import random
from collections.abc import Sequence

from crashes.strikes import KillOperator
from e2e.controllers.owners import Owners
from e2e.controllers.scenes import Scene, Stage, begun_anew
from live.proxy import Asked, Moment

# Each life has more writes than these.
_WRITES = range(1, 16)
# No life has as many.
_MOST_WRITES = 40


class WriteTrap:
    """Kills the operator at the n-th of its writes in a namespace, once."""

    def __init__(self, stage: Stage, number: int, moment: Moment) -> None:
        self._namespace = stage.arena.namespace
        self._strike = KillOperator(stage.operator)
        self._number = number
        self._moment = moment
        self._writes: list[Asked] = []
        self.has_sprung = False

    @property
    def writes(self) -> int:
        """How many writes there were, until it sprang."""
        return len(self._writes)

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

    trap = _play(stage, owners, draw.choice(_WRITES), draw.choice([*Moment]))

    assert trap.has_sprung


def _killed_at(number: int, moment: Moment) -> Scene:
    def scene(stage: Stage, owners: Owners) -> None:
        trap = _play(stage, owners, number, moment)

        assert trap.has_sprung or trap.writes < number
        assert number < _MOST_WRITES or not trap.has_sprung

    scene.__name__ = f"begun_anew_though_killed_{moment.name.lower()}_write_{number}"
    return scene


def _play(stage: Stage, owners: Owners, number: int, moment: Moment) -> WriteTrap:
    trap = WriteTrap(stage, number, moment)
    stage.proxy.witness = trap.witness
    begun_anew(stage, owners)
    return trap


def _scenes() -> Sequence[Scene]:
    if os.environ.get("LOCKSTEP_E2E_KILLS") != "each":
        return (begun_anew_though_killed,)
    return tuple(_killed_at(number, moment) for number in range(1, _MOST_WRITES + 1) for moment in Moment)


KILLS = _scenes()
"""The scenes in which the operator is killed."""
