"""How many members may be on their way to their nodes at once: a gang that has begun is whole before the next begins.

All gangs of a burst could begin at once. Each would then be made of pods without nodes for as long as the burst lasts.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

# The client has 64 writes under way at once: half of these members are being created while the others are bound.
LEAST_MEMBERS = 128
_MOST_MEMBERS = 4096
# What a gang may take from its reservation to its last binding, before fewer are let in.
_WANTED_SECONDS = 1.0
_WIDER_BY_MEMBERS = 16
_NARROWER_BY = 0.75
LONGEST_STAY_SECONDS = 5.0
"""After so long a gang counts no more, whatever it waits for: it keeps the others waiting no longer."""


class _Waiting(NamedTuple):
    members: int
    turn: asyncio.Future[None]


class AttemptWindow:
    """Lets gangs in by the number of their members, in the order in which they ask.

    It grows while gangs are done soon and others wait, and shrinks while they take long: the API server's answers
    decide. A gang that is larger goes in alone. ``monotonic`` is a clock in seconds.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._width = float(LEAST_MEMBERS)
        self._inside = 0
        self._waiting: deque[_Waiting] = deque()
        self._narrowed_at = -LONGEST_STAY_SECONDS

    @property
    def width(self) -> int:
        """How many members there may be inside."""
        return int(self._width)

    def stay(self, members: int) -> "Stay":
        """Describe the stay of a gang with so many members, which has not begun."""
        return Stay(self, members, self._monotonic)

    async def enter(self, members: int) -> bool:
        """Wait until there is room for so many, who have to leave; returns whether there was none at first."""
        if not self._waiting and self._has_room(members):
            self._inside += members
            return False
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(members, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # It was let in at the same moment.
                self.leave(members)
            else:
                self._let_in()
            raise
        return True

    def leave(self, members: int) -> None:
        """So many are no longer inside."""
        self._inside -= members
        self._let_in()

    def took(self, members: int, since: float) -> None:
        """A gang that entered at that time has all its bindings, or has stayed for as long as it may."""
        now = self._monotonic()
        if members > self._width:
            # Its time is that of its own many writes.
            return
        if now - since <= _WANTED_SECONDS:
            if self._waiting:
                self._width = min(self._width + _WIDER_BY_MEMBERS, _MOST_MEMBERS)
        elif since >= self._narrowed_at:
            # Those inside since before the last change tell nothing of the width that it made.
            self._width = max(self._width * _NARROWER_BY, LEAST_MEMBERS)
            self._narrowed_at = now

    def _has_room(self, members: int) -> bool:
        return not self._inside or self._inside + members <= self._width

    def _let_in(self) -> None:
        while self._waiting:
            members, turn = self._waiting[0]
            if not turn.done() and not self._has_room(members):
                return
            self._waiting.popleft()
            if not turn.done():
                self._inside += members
                turn.set_result(None)


class Stay:
    """One gang's stay in the window. To leave what was not entered, or was left, changes nothing."""

    def __init__(self, window: AttemptWindow, members: int, monotonic: Callable[[], float]) -> None:
        self._window = window
        self._members = members
        self._monotonic = monotonic
        self._since = 0.0
        self._limit: asyncio.TimerHandle | None = None

    async def enter(self) -> bool:
        """Enter when there is room; returns whether it had to wait: belief may have changed meanwhile."""
        has_waited = await self._window.enter(self._members)
        self._since = self._monotonic()
        self._limit = asyncio.get_running_loop().call_later(LONGEST_STAY_SECONDS, self.done)
        return has_waited

    def done(self) -> None:
        """All bindings were answered: leave, and let the window learn how long it took."""
        if self._limit is not None:
            self._window.took(self._members, self._since)
        self.leave()

    def leave(self) -> None:
        """Leave, if it is inside."""
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
            self._window.leave(self._members)
