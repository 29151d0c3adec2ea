"""What groups have used: dominant-resource-seconds that decay, with a half-life of a week.

The dominant share of an attempt is the largest part of a resource of all nodes that it holds. Each second costs its
group so many seconds of all nodes. What an attempt held in vain costs nothing in the end, if the cluster took it.

A total and its time are all that outlives the process. What an attempt was charged follows from its start and its
share. So a process that takes over computes what is in the total for attempts that go on, and charges nothing twice.
What a group was charged stays its own: also if the namespace comes to another group while the attempt goes on.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

HALF_LIFE_SECONDS = 7 * 86_400.0
MOST_AHEAD_SECONDS = 60.0
"""Accounts that are further ahead than this are from before the clock was set back, and go on from the time that is."""

DECAY = math.log(2) / HALF_LIFE_SECONDS
"""A second."""


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
    return used * math.exp(-DECAY * max(0.0, seconds))


def charge_for(part: float, seconds: float) -> float:
    """What holding a part of all nodes has cost after that time, decayed."""
    return part * -math.expm1(-DECAY * max(0.0, seconds)) / DECAY


class Accounts:
    """The use of each group at a time, and of what the attempts that go on were charged.

    ``used`` are the totals ``at`` that time, in which the attempts in ``running`` are counted.
    """

    def __init__(self, used: Mapping[str, float], at: float, running: Mapping[AttemptId, HeldPart]) -> None:
        self.at = at
        charges = [_Charged(held, charge_for(held.part, at - held.start)) for held in running.values()]
        open_sums = dict[str, float]()
        for held, charge in charges:
            open_sums[held.group] = open_sums.get(held.group, 0.0) + charge
        # The last process may have counted less: attempts have grown, nodes are fewer, or groups are others since. What
        # it has written holds, so attempts that go on have at most all of it.
        parts = {group: min(1.0, used.get(group, 0.0) / whole) for group, whole in open_sums.items() if whole}
        self._open = {
            one: _Charged(held, charge * parts.get(held.group, 0.0))
            for one, (held, charge) in zip(running, charges, strict=True)
        }
        self._ended = {
            group: max(0.0, amount - open_sums.get(group, 0.0) * parts.get(group, 0.0))
            for group, amount in used.items()
        }
        self.gave_back = False
        """Whether a charge was given back that no written status shows yet."""

    def advance(self, now: float, running: Mapping[AttemptId, HeldPart], lost: Mapping[AttemptId, float]) -> None:
        """Charge up to ``now``. Attempts that are not ``running`` any more have ended.

        The cluster took those in ``lost``. They held their nodes in vain since that time, or all the time if it is not
        after their start.
        """
        seconds = now - self.at
        if seconds < 0:
            self.at = now if seconds < -MOST_AHEAD_SECONDS else self.at
            return
        self._ended = {group: decayed(used, seconds) for group, used in self._ended.items()}
        before, self._open, self.at = self._open, {}, now
        for attempt, (held, charge) in before.items():
            whole = decayed(charge, seconds) + charge_for(held.part, min(seconds, now - held.start))
            following = running.get(attempt)
            if following is not None and following.group == held.group:
                self._open[attempt] = _Charged(following, whole)
            else:
                back = _in_vain(_Charged(held, whole), lost[attempt], now) if not following and attempt in lost else 0.0
                self.gave_back |= back > 0
                self._ended[held.group] = self._ended.get(held.group, 0.0) + whole - back
        for attempt in running.keys() - self._open.keys():
            held = running[attempt]
            since = 0.0 if attempt in before else min(seconds, now - held.start)
            self._open[attempt] = _Charged(held, charge_for(held.part, since))

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


def _in_vain(charged: _Charged, since: float, now: float) -> float:
    """What of a charge up to ``now`` is for the time from ``since`` on."""
    held, charge = charged
    return charge if since <= held.start else min(charge, charge_for(held.part, now - since))
