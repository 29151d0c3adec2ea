"""Forecasts of the start of a waiting gang, from the real starts of earlier gangs.

A planned start moves: running gangs end earlier or later than expected, and new gangs come. For the last gangs that
waited, the ratio of the real wait to the wait that was planned first is kept. A forecast uses quantiles of these
ratios. Half of all gangs start by their likely start, and nine of ten by their late start, whatever the distributions
of run times and arrivals. For a gang that has waited for a while, only ratios that mean a longer wait count. So a
forecast is never in the past, and half of the gangs that still wait start by it. (Such quantiles hold for the next gang
if it is like the earlier ones. The rank is that of split conformal prediction: Vovk, Gammerman and Shafer 2005.)

The next gang is not quite like the earlier ones: long waits are known late, and queues grow by day. So the quantile of
the late start adapts. It takes a small step up for each late start that was missed, and a smaller step down for each
late start that was met. Then nine of ten are met. (Adaptive conformal inference, Gibbs and Candès 2021.)
"""

import math
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.start_estimate import SAME_TIME_SECONDS
from lockstep.facts.reasons import Condition

_LAST = 200
_LEAST = 20
_LIKELY, _LATE = 0.5, 0.9
# In simulated queues, 89 % of late starts are met with this step, and 87 % without a step or with a step of 0.03. With
# a larger step, the quantile follows accidents of single waits.
_STEP = 0.01
# With fewer waits, the quantile of nine of ten would be beyond the longest wait.
_LEAST_FOR_LATE = 9
# In seconds. Shorter waits say nothing about longer ones.
_SHORTEST_SECONDS = 1.0


class Forecast(NamedTuple):
    """Half of all gangs start by ``likely``, nine of ten by ``late``; ``late`` is None if too few waits are known."""

    likely: float
    late: float | None


@dataclass(slots=True)
class Forecasts:
    """The waits of the last gangs that had to wait, as ratios to their first planned waits.

    A gang counts once, though its status arrives many times. The first forecast of its late start is remembered by UID
    until the gang starts. The caller has to :meth:`forget` gangs that are gone.
    """

    _ratios: deque[float] = field(default_factory=lambda: deque(maxlen=_LAST))
    _learned_from: set[str] = field(default_factory=set)
    _late_starts: dict[str, float] = field(default_factory=dict)
    _late_share: float = _LATE

    def learn(self, gang: GangFact) -> None:
        """Learn from the status of a gang that had a planned start and is placed for the first time.

        Later attempts are ignored. Their status still has the first planned start, but they do not start by that plan.
        """
        status = gang.status
        if status.plan is None or status.start is None or status.first_planned_start is None:
            return
        if not status.is_true(Condition.PLACED) or status.ran_before or gang.uid in self._learned_from:
            return
        self.record(gang.uid, created=gang.created, planned=status.first_planned_start, started=status.start)
        self._learned_from.add(gang.uid)

    def forget(self, uid: str) -> None:
        """Forget a gang that is gone; the ratio of its waits stays."""
        self._learned_from.discard(uid)
        self._late_starts.pop(uid, None)

    def record(self, uid: str, *, created: float, planned: float, started: float) -> None:
        """Record the start of a gang that was first planned for a later time. All times are seconds since the epoch."""
        if uid in self._late_starts:
            is_missed = started > self._late_starts.pop(uid) + SAME_TIME_SECONDS
            share = self._late_share + _STEP * (is_missed - (1 - _LATE))
            self._late_share = min(max(share, _LIKELY), 1.0)
        wait = planned - created
        if wait >= _SHORTEST_SECONDS:
            self._ratios.append(max(0.0, started - created) / wait)

    def forecast(self, uid: str, *, since: float, now: float, planned: float, promised: float | None) -> Forecast:
        """Forecast the start of a gang that is planned for later, and remember its first late start."""
        forecast = self.of(since=since, now=now, planned=planned, promised=promised)
        if forecast.late is not None:
            self._late_starts.setdefault(uid, forecast.late)
        return forecast

    def of(self, *, since: float, now: float, planned: float, promised: float | None) -> Forecast:
        """Forecast the start of a gang that has been planned ``since`` that time; never after its promised start.

        ``planned`` is its start in the plan. It is also the forecast if too few waits are known, or none that is longer
        than the time for which the gang has waited.
        """
        latest = math.inf if promised is None else promised
        waits = self._waits(planned - since, longer_than=now - since)
        if not waits:
            return Forecast(min(planned, latest), None)
        likely = since + _quantile(waits, _LIKELY)
        if len(waits) < _LEAST_FOR_LATE:
            return Forecast(min(likely, latest), None)
        late = since + _quantile(waits, self._late_share)
        return Forecast(min(likely, latest), min(max(likely, late), latest))

    def _waits(self, planned_wait: float, *, longer_than: float) -> list[float]:
        """The products of the planned wait and each known ratio, in seconds, sorted; only those above ``longer_than``.

        Empty if too few ratios are known.
        """
        if len(self._ratios) < _LEAST:
            return []
        return sorted(wait for ratio in self._ratios if (wait := ratio * planned_wait) > longer_than)


def _quantile(waits: list[float], share: float) -> float:
    """The shortest of these sorted waits that the next wait exceeds with a probability of at most 1 - ``share``.

    If no wait satisfies this, the longest one.
    """
    rank = math.ceil(share * (len(waits) + 1))
    return waits[min(rank, len(waits)) - 1]
