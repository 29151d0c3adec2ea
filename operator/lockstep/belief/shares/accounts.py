"""What groups have used: dominant-resource-seconds that decay, with a half-life of a week.

The dominant share of an attempt is the largest part of a resource of all nodes that it holds. Each second costs its
group so many seconds of all nodes. An attempt that was lost to the cluster costs nothing in the end.

A total and its time are all that outlives the process. What an attempt was charged follows from its start and its
share. So a process that takes over computes what is in the total for attempts that go on, and charges nothing twice.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

HALF_LIFE_SECONDS = 7 * 86_400.0

_DECAY = math.log(2) / HALF_LIFE_SECONDS


class AttemptId(NamedTuple):
    """One attempt of one gang."""

    gang_uid: str
    number: int


class HeldPart(NamedTuple):
    """What an attempt holds for its group: a ``part`` of all nodes since ``start``."""

    group: str
    part: float
    start: float


class _Charged(NamedTuple):
    """What a group was charged for an attempt, up to the time of the accounts."""

    held: HeldPart
    charge: float


def decayed(used: float, seconds: float) -> float:
    """What is left of a use after that time."""
    return used * math.exp(-_DECAY * max(0.0, seconds))


def charge_for(part: float, seconds: float) -> float:
    """What holding a part of all nodes has cost after that time, decayed."""
    return part * -math.expm1(-_DECAY * max(0.0, seconds)) / _DECAY


class Accounts:
    """The use of each group at a time, and of what the attempts that go on were charged.

    ``used`` are the totals ``at`` that time, in which the attempts in ``running`` are counted.
    """

    def __init__(self, used: Mapping[str, float], at: float, running: Mapping[AttemptId, HeldPart]) -> None:
        self.at = at
        self._open = {one: _Charged(held, charge_for(held.part, at - held.start)) for one, held in running.items()}
        self._ended = dict(used)
        for held, charge in self._open.values():
            # An attempt of which the last process counted less, as its nodes were more, leaves at least nothing.
            self._ended[held.group] = max(0.0, self._ended.get(held.group, 0.0) - charge)
        self.gave_back = False
        """Whether a charge was given back that no written status shows yet."""

    def advance(self, now: float, running: Mapping[AttemptId, HeldPart], lost: Mapping[AttemptId, bool]) -> None:
        """Charge up to ``now``. Attempts that are not ``running`` any more have ended; some were ``lost``."""
        seconds = now - self.at
        if seconds < 0:
            return
        self._ended = {group: decayed(used, seconds) for group, used in self._ended.items()}
        before, self._open, self.at = self._open, {}, now
        for attempt, (held, charge) in before.items():
            whole = decayed(charge, seconds) + charge_for(held.part, min(seconds, now - held.start))
            if attempt in running:
                self._open[attempt] = _Charged(running[attempt], whole)
            elif lost.get(attempt, False):
                self.gave_back = True
            else:
                self._ended[held.group] = self._ended.get(held.group, 0.0) + whole
        for attempt in running.keys() - before.keys():
            held = running[attempt]
            self._open[attempt] = _Charged(held, charge_for(held.part, min(seconds, now - held.start)))

    def open_attempts(self) -> frozenset[AttemptId]:
        """The attempts that went on at the time of the accounts."""
        return frozenset(self._open)

    def used(self, time: float) -> dict[str, float]:
        """What each group has used at a time, if all attempts go on until then; not before the time of the accounts."""
        seconds = max(0.0, time - self.at)
        totals = {group: decayed(used, seconds) for group, used in self._ended.items()}
        for held, charge in self._open.values():
            whole = decayed(charge, seconds) + charge_for(held.part, seconds)
            totals[held.group] = totals.get(held.group, 0.0) + whole
        return totals
