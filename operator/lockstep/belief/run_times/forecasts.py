"""When a gang that waits will really start, judged by what came of the starts that others were told.

A planned start moves: what runs ends earlier or later than expected, and others come. How much the wait then was, in
parts of the wait that was planned first, is kept for the last gangs that had to wait. A start is foretold by the
quantiles of these parts: half of all gangs start by their likely start, nine of ten by their late one, whatever run
times and arrivals are like. Of a gang that has waited for a while, only those parts count that are longer: so what is
foretold never lies in the past, and of the gangs that are still waiting half start by it. (Quantiles of the past taken
so hold for the next case, if it is one like those before: the rank is that of split conformal prediction, Vovk,
Gammerman and Shafer 2005.)

The next case is not quite like those before: who waits long teaches late, and by day queues grow. So the quantile of
the late start follows what became of late starts, a small step up for each that was missed and a smaller one down for
each that was met, until nine of ten are met. (Adaptive conformal inference, Gibbs and Candès 2021.)
"""

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.start_estimate import SAME_TIME_SECONDS
from lockstep.facts.reasons import Condition

_LAST = 200
# Statuses come again with every event of a gang: it counts once. Nor do all that were told a start come to it.
_KNOWN = 10 * _LAST
_LEAST = 20
_LIKELY, _LATE = 0.5, 0.9
# In whole queues that were simulated 89 % are met so; 87 % with none or with 0.03, which follows chance.
_STEP = 0.01
# Of fewer nobody can say what nine of ten keep to: the rank would lie beyond them.
_LEAST_FOR_LATE = 9
# Shorter waits tell nothing of longer ones.
_SHORTEST_SECONDS = 1.0


class Forecast(NamedTuple):
    """Half of all gangs start by the ``likely`` start, nine of ten by the ``late`` one, None while nobody knows."""

    likely: float
    late: float | None


@dataclass(slots=True)
class Forecasts:
    """The waits of the last gangs that had to wait, in parts of what was planned first.

    Late starts that gangs were told first are remembered by UID until they start.
    """

    _parts: deque[float] = field(default_factory=lambda: deque(maxlen=_LAST))
    _heard: dict[str, None] = field(default_factory=dict)
    _late_starts: dict[str, float] = field(default_factory=dict)
    _late_share: float = _LATE

    def hear(self, gang: GangFact) -> None:
        """Learn from the status of a gang that was told of its start, and holds its nodes since."""
        status = gang.status
        if status.plan is None or status.start is None or status.first_planned_start is None:
            return
        if not status.is_true(Condition.PLACED) or gang.uid in self._heard:
            return
        self.note(gang.uid, created=gang.created, planned=status.first_planned_start, started=status.start)
        self._heard[gang.uid] = None
        _forget_oldest(self._heard)

    def note(self, uid: str, *, created: float, planned: float, started: float) -> None:
        """A gang has started that was first planned for later."""
        if uid in self._late_starts:
            is_missed = started > self._late_starts.pop(uid) + SAME_TIME_SECONDS
            share = self._late_share + _STEP * (is_missed - (1 - _LATE))
            self._late_share = min(max(share, _LIKELY), 1.0)
        wait = planned - created
        if wait >= _SHORTEST_SECONDS:
            self._parts.append(max(0.0, started - created) / wait)

    def tell(self, uid: str, *, since: float, now: float, planned: float, promised: float | None) -> Forecast:
        """Foretell the start of a gang that is planned for later, and remember the first that it was told."""
        forecast = self.of(since=since, now=now, planned=planned, promised=promised)
        if forecast.late is not None:
            self._late_starts.setdefault(uid, forecast.late)
            _forget_oldest(self._late_starts)
        return forecast

    def of(self, *, since: float, now: float, planned: float, promised: float | None) -> Forecast:
        """Foretell the start of a gang that has had a plan ``since`` then; never after what it is promised.

        It is ``planned`` for later. Where nobody is known to have waited for longer, the plan is all there is to tell.
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
        """What waits planned so have really been, in order, of those that were longer; none while too few are known."""
        if len(self._parts) < _LEAST:
            return []
        return sorted(wait for part in self._parts if (wait := part * planned_wait) > longer_than)


def _quantile(waits: list[float], share: float) -> float:
    """The least wait that ``share`` of such waits do not exceed, counting the one to come."""
    rank = math.ceil(share * (len(waits) + 1))
    return waits[min(rank, len(waits)) - 1]


def _forget_oldest(known: dict[str, Any]) -> None:
    if len(known) > _KNOWN:
        del known[next(iter(known))]
