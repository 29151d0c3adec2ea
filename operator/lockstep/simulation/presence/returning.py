"""The agents' forecasts of owners' presence, and the operator's forecasts from these, hour by hour.

Each agent makes a forecast at the beginning of every hour. The agent knows the owner's presence in the hours before,
weekdays and weekends apart, and whether the owner is there now. Formulas and weights are the same as in the agent
(docs/agent.md, [C 5.5]).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from coschedule import Forecasts
from coschedule_forecast import habits_after
from coschedule_forecast.owners import PAST, comings, day_ahead
from lockstep.facts.cluster.node import BidFact, ExpectedHour, OnReturn
from lockstep.simulation.presence.stays import HISTORY_WEEKS, HOUR, WEEK, Stays
from lockstep.snapshot.nodes.owner_forecasts import owner_forecasts

_KNOWN_DAYS = 30
_DAY_HOURS, _WEEK_DAYS, _WORKING = 24, 7, 5


@dataclass(slots=True)
class Returning:
    """Forecasts of the owners of some of the ``nodes``; ``kept`` has the last requested hour and its forecasts."""

    nodes: int
    stays: Mapping[int, Stays]
    kept: tuple[int, Forecasts] | None = None
    owners: dict[int, "_Habits"] = field(init=False)

    def __post_init__(self) -> None:
        self.owners = {node: _Habits(one.hourly()) for node, one in self.stays.items()}

    def forecasts(self, now: float, there: NDArray[np.bool_]) -> Forecasts:
        """Return the forecasts from the beginning of this hour; ``there``, bool[node], says which owners are there."""
        hour = int(now // HOUR)
        if self.kept is None or self.kept[0] != hour:
            bids = [self._bid(node, hour, there) for node in range(self.nodes)]
            self.kept = hour, owner_forecasts(bids, hour * HOUR)
        return self.kept[1]

    def _bid(self, node: int, hour: int, there: NDArray[np.bool_]) -> BidFact | None:
        owner = self.owners.get(node)
        if owner is None:
            return None
        ahead = owner.ahead(hour + int(HISTORY_WEEKS * WEEK / HOUR), present=float(there[node]))
        begins = [(hour + later) * HOUR for later in range(_DAY_HOURS)]
        return BidFact(
            node=str(node),
            resource_version="",
            slowdown=1.0,
            available_from=None,
            available_until=None,
            slots=None,
            expires_at=None,
            on_return=OnReturn.EVICT,
            forecast=tuple(map(ExpectedHour, begins, comings(ahead))),
        )


@dataclass(slots=True)
class _Habits:
    """An owner's ``hourly`` presence, as the agent knows it. Hour 0 begins a Monday, and the hours repeat.

    ``kept`` has the habits by the day of the forecast, and by whether they are habits of working days. A habit is the
    usual presence in an hour of the day.
    """

    hourly: NDArray[np.float64]
    kept: dict[tuple[int, bool], Sequence[float]] = field(default_factory=dict)

    def ahead(self, hour: int, present: float) -> list[float]:
        """Forecast how likely the owner is there in this hour and the next 23."""
        today = hour // _DAY_HOURS
        habits = [self._habits(today, day)[one] for day, one in map(_clock, range(hour, hour + _DAY_HOURS))]
        return day_ahead(habits, last=self._measured(hour - 1), now=present)

    def _habits(self, today: int, day: int) -> Sequence[float]:
        """Return the habit of each hour of ``day``, from earlier days of the same kind: working days or weekends."""
        key = today, _works(day)
        if key not in self.kept:
            self.kept = {other: habits for other, habits in self.kept.items() if other[0] == today}
            self.kept[key] = self._learnt(today, works=_works(day))
        return self.kept[key]

    def _learnt(self, today: int, *, works: bool) -> Sequence[float]:
        past = [day for day in range(max(0, today - _KNOWN_DAYS), today) if _works(day) == works]
        days = [[self._measured(day * _DAY_HOURS + hour) for hour in range(_DAY_HOURS)] for day in past]
        return [float(habit) for habit in habits_after(days, past=PAST)]

    def _measured(self, hour: int) -> float:
        return float(self.hourly[hour % len(self.hourly)])


def _clock(hour: int) -> tuple[int, int]:
    return divmod(hour, _DAY_HOURS)


def _works(day: int) -> bool:
    return day % _WEEK_DAYS < _WORKING
