"""The use of each group: dominant-resource-seconds that decay, with a half-life of a week.

Of each resource, an attempt holds a part of the amount on all nodes. The largest part is its dominant share. Each
second of an attempt costs its group this share of one second of all nodes. If the cluster took an attempt, as
``attempt_losses.py`` defines, the group gets back the charge for nodes that were held in vain.

Only a total and its time outlive the process. The charge of an attempt follows from its start and its share. So a
process that takes over computes which charges of running attempts are in the total, and charges nothing twice. A charge
stays with its group, even if the namespace moves to another group while the attempt goes on.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

HALF_LIFE_SECONDS = 7 * 86_400.0
MOST_AHEAD_SECONDS = 60.0
"""How many seconds accounts may be ahead of the clock.

Accounts that are further ahead were written before the clock was set back. They go on from the present time.
"""

DECAY = math.log(2) / HALF_LIFE_SECONDS
"""The rate at which use decays, per second."""


class AttemptId(NamedTuple):
    """One attempt of one gang."""

    gang_uid: str
    number: int


class HeldPart(NamedTuple):
    """An attempt's hold for its group: a ``part`` of all nodes since ``start``."""

    group: str
    part: float
    start: float


class _Charged(NamedTuple):
    """The charge of a group for an attempt, up to the time of the accounts."""

    held: HeldPart
    charge: float


def decayed(used: float, seconds: float) -> float:
    """The part of a use that still counts after ``seconds``."""
    return used * math.exp(-DECAY * max(0.0, seconds))


def charge_for(part: float, seconds: float) -> float:
    """The charge for a ``part`` of all nodes that is held for ``seconds`` until now, decayed."""
    return part * -math.expm1(-DECAY * max(0.0, seconds)) / DECAY


class Accounts:
    """The use of each group at a time, and the charges of attempts that go on.

    ``used`` are the totals ``at`` that time, which include the charges of the attempts in ``running``.
    """

    def __init__(self, used: Mapping[str, float], at: float, running: Mapping[AttemptId, HeldPart]) -> None:
        self.at = at
        charges = [_Charged(held, charge_for(held.part, at - held.start)) for held in running.values()]
        open_sums = dict[str, float]()
        for held, charge in charges:
            open_sums[held.group] = open_sums.get(held.group, 0.0) + charge
        # The last process may have charged less, if attempts have grown, nodes are gone, or groups have changed since.
        # Its written totals hold, so the charges of running attempts are at most these totals.
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
        """Whether a charge was given back, and no written status shows this yet."""

    def advance(self, now: float, running: Mapping[AttemptId, HeldPart], lost: Mapping[AttemptId, float]) -> None:
        """Charge up to ``now``. Attempts that are not ``running`` any more have ended.

        ``lost`` has the attempts that the cluster took, each with the time since which its nodes were held in vain. A
        time before the attempt's start means all of its time.
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
        """The attempts that were going on at the time of the accounts."""
        return frozenset(self._open)

    def used(self, time: float) -> dict[str, float]:
        """The use of each group at a time, if all attempts go on until then; not before the time of the accounts."""
        seconds = max(0.0, time - self.at)
        totals = {group: decayed(used, seconds) for group, used in self._ended.items()}
        for held, charge in self._open.values():
            whole = decayed(charge, seconds) + charge_for(held.part, seconds)
            totals[held.group] = totals.get(held.group, 0.0) + whole
        return totals


def _in_vain(charged: _Charged, since: float, now: float) -> float:
    """The part of a charge up to ``now`` that is for the time from ``since`` on."""
    held, charge = charged
    return charge if since <= held.start else min(charge, charge_for(held.part, now - since))
