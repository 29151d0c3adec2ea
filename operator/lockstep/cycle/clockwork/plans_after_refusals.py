"""Requests a new plan after a decision could not be carried out."""

import asyncio
from collections.abc import Callable, Collection

from coschedule import GangKey
from lockstep.api.client.pauses import pause_after


class PlansAfterRefusals:
    """Calls ``plan`` after a decision for a gang was refused: the first time at once, then after growing pauses.

    The next plan usually knows the fact that has changed. If it does not, it makes the same decision again, and without
    pauses plans would follow each other endlessly. ``plan`` is called once for all gangs whose pauses overlap.
    """

    def __init__(self, plan: Callable[[], None]) -> None:
        self._plan = plan
        self._in_a_row: dict[GangKey, int] = {}
        self._timer: asyncio.TimerHandle | None = None

    def refused(self, gang: GangKey) -> None:
        """Record that the decision for a gang was refused, and request a plan."""
        before = self._in_a_row.get(gang, 0)
        self._in_a_row[gang] = before + 1
        if before:
            self._plan_by(asyncio.get_running_loop().time() + pause_after(before - 1))
        else:
            self._plan()

    def keep(self, gangs: Collection[GangKey]) -> None:
        """Forget the refusals of all other gangs, since the newest plan has decided nothing for them."""
        self._in_a_row = {gang: count for gang, count in self._in_a_row.items() if gang in gangs}

    def stop(self) -> None:
        """Call ``plan`` no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _plan_by(self, time: float) -> None:
        if self._timer is not None and self._timer.when() <= time:
            return
        self.stop()
        self._timer = asyncio.get_running_loop().call_at(time, self._ring)

    def _ring(self) -> None:
        self._timer = None
        self._plan()
