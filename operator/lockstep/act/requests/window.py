"""Limits how many members are created or bound at once, so that a gang is complete before the next gang begins.

If all gangs of a burst began at once, each would be incomplete for as long as the burst lasts.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import NamedTuple

# In members. The client sends at most 64 writes at once. So half of these members are created while the others are
# bound.
LEAST_MEMBERS = 128
_MOST_MEMBERS = 4096
# In seconds. If a gang takes longer from its reservation to its last binding, the window gets smaller.
_WANTED_SECONDS = 1.0
_WIDER_BY_MEMBERS = 16
_NARROWER_BY = 0.75
# In this number of turns, one goes to the gang that has waited for longest. So no gang waits for ever.
_ROUND = 8
LONGEST_STAY_SECONDS = 5.0
"""In seconds. After this time a gang no longer counts, whatever it waits for, so it does not delay other gangs."""


class _Waiting(NamedTuple):
    """A waiting gang. Usually gangs enter in the order of these tuples: by priority, then by ``number``.

    ``number`` is the order of calls.
    """

    less_urgent: int
    number: int
    members: int
    turn: asyncio.Future[None]


class AttemptWindow:
    """Admits gangs by priority, and then in the order in which they ask, while there is room for their members.

    The order of calls alone is not enough: a later plan may have more urgent gangs than those that wait. But each
    eighth turn goes to the gang that has waited for longest: attempts of urgent gangs may fail again and again.
    The window grows while gangs are bound soon and others wait, and shrinks while gangs take long. So its width follows
    the speed of the API server. A gang larger than the window enters alone. ``monotonic`` is a clock in seconds.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._width = float(LEAST_MEMBERS)
        self._inside = 0
        # Both have every gang that waits, and some that wait no more. The first is a heap, the second is by age.
        self._urgent: list[_Waiting] = []
        self._oldest: deque[_Waiting] = deque()
        self._turns = 0
        self._numbers = itertools.count()
        self._narrowed_at = -LONGEST_STAY_SECONDS

    @property
    def width(self) -> int:
        """The number of members that may be inside."""
        return int(self._width)

    def stay(self, members: int, priority: int = 0) -> "Stay":
        """A stay, not yet begun, of a gang with this number of members."""
        return Stay(self, members, priority, self._monotonic)

    async def enter(self, members: int, priority: int) -> bool:
        """Wait until there is room for this number of members. Returns whether it had to wait.

        The caller must call ``leave`` later.
        """
        if self._first() is None and self._has_room(members):
            self._inside += members
            return False
        turn = asyncio.get_running_loop().create_future()
        waiting = _Waiting(-priority, next(self._numbers), members, turn)
        heappush(self._urgent, waiting)
        self._oldest.append(waiting)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # The gang was admitted just before the wait was cancelled.
                self.leave(members)
            else:
                self._let_in()
            raise
        return True

    def leave(self, members: int) -> None:
        """Let this number of members leave."""
        self._inside -= members
        self._let_in()

    def took(self, members: int, since: float) -> None:
        """Record that a gang that entered at ``since`` has all its bindings, or has reached the longest stay."""
        now = self._monotonic()
        if members > self._width:
            # Such a gang entered alone. Its time depends on its own many writes, and not on the width.
            return
        if now - since <= _WANTED_SECONDS:
            if self._first() is not None:
                self._width = min(self._width + _WIDER_BY_MEMBERS, _MOST_MEMBERS)
        elif since >= self._narrowed_at:
            # Gangs that entered before the last change say nothing about the new width.
            self._width = max(self._width * _NARROWER_BY, LEAST_MEMBERS)
            self._narrowed_at = now

    def _has_room(self, members: int) -> bool:
        return not self._inside or self._inside + members <= self._width

    def _let_in(self) -> None:
        while (first := self._first()) is not None and self._has_room(first.members):
            self._turns += 1
            self._inside += first.members
            first.turn.set_result(None)
            if first is not self._urgent[0]:
                # Otherwise it would stay in the heap for as long as more urgent gangs come.
                self._urgent.remove(first)
                heapify(self._urgent)

    def _first(self) -> _Waiting | None:
        """The gang that enters next; None if no gang waits."""
        while self._urgent and self._urgent[0].turn.done():
            heappop(self._urgent)
        while self._oldest and self._oldest[0].turn.done():
            self._oldest.popleft()
        if not self._urgent:
            return None
        is_oldest = self._turns % _ROUND == _ROUND - 1
        return self._oldest[0] if is_oldest else self._urgent[0]


class Stay:
    """One gang's stay in the window. A call of ``leave`` changes nothing if the gang is not inside."""

    def __init__(self, window: AttemptWindow, members: int, priority: int, monotonic: Callable[[], float]) -> None:
        self._window = window
        self._members = members
        self._priority = priority
        self._monotonic = monotonic
        self._since = 0.0
        self._limit: asyncio.TimerHandle | None = None

    async def enter(self) -> bool:
        """Enter when there is room. Returns whether it had to wait: the cache may have changed during the wait."""
        has_waited = await self._window.enter(self._members, self._priority)
        self._since = self._monotonic()
        self._limit = asyncio.get_running_loop().call_later(LONGEST_STAY_SECONDS, self.done)
        return has_waited

    def done(self) -> None:
        """Leave after all bindings are answered, and report the time to the window."""
        if self._limit is not None:
            self._window.took(self._members, self._since)
        self.leave()

    def leave(self) -> None:
        """Leave, if it is inside."""
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
            self._window.leave(self._members)
