"""Chooses the pieces that each member gets. A pure state machine: it knows neither network nor clock.

Every piece is dealt at least once. A piece is *settled* when a member has reported it as done or failed. A member that
asks again gets the pieces that it had and has not reported. When all pieces are dealt, members that ask get pieces of
*silent* members, which have not reported for long. If a member is known to have left, its pieces are dealt first.
"""

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from lockstep.dealer.speeds import Speeds
from lockstep.facts.piece_states import PieceState, packed

FIRST_RANK = 0
"""The member in whose pod the dealer runs. This member leaves last, because the dealer ends with it."""

# A member counts as silent after this factor times the expected time, but not before this number of seconds.
_SILENT_FACTOR = 3.0
_SILENT_SECONDS = 10.0
# A member counts as silent after this number of seconds while no speed is known.
_SILENT_AT_FIRST_SECONDS = 60.0
_WAIT_SECONDS = 1.0


class Dealt(NamedTuple):
    """Pieces for a member, in ascending order."""

    pieces: tuple[int, ...]


class Later(NamedTuple):
    """There is no piece for a member now; it asks again after ``seconds``."""

    seconds: float


class Over(NamedTuple):
    """Every piece is settled: the member may end."""


Answer = Dealt | Later | Over


class Deal:
    """The pieces of one gang, with their states and holders; ``states`` has one byte a piece, a ``PieceState``."""

    def __init__(self, states: bytearray) -> None:
        self._states = states
        # In descending order, as the next piece to deal is taken from the end of the list.
        self._undealt = [piece for piece in reversed(range(len(states))) if states[piece] == PieceState.OPEN]
        self._unsettled = len(self._undealt)
        self._held: dict[int, set[int]] = {}
        self._holders: dict[int, set[int]] = {}
        self._since: dict[int, float] = {}
        self._informed: set[int] = set()
        # The members that the operator has reported. Some of them may not have asked yet.
        self._expected: frozenset[int] = frozenset()
        self._over_since = math.inf
        self._speeds = Speeds()

    @property
    def is_over(self) -> bool:
        """Whether every piece is settled."""
        return not self._unsettled

    @property
    def bits(self) -> bytes:
        """The states, two bits a piece."""
        return packed(self._states)

    def check(self, pieces: Iterable[int]) -> None:
        """Raise ``ValueError`` for a number that no piece has."""
        for piece in pieces:
            if not 0 <= piece < len(self._states):
                raise ValueError(f"piece {piece} is not one of 0 to {len(self._states) - 1}")

    def report(self, member: int, now: float, *, done: Iterable[int] = (), failed: Iterable[int] = ()) -> set[int]:
        """Record results; return the pieces whose state has changed. A piece that was ever done stays done."""
        done, failed = set(done), set(failed)
        own = len(self._held.get(member, set()) & (done | failed))
        self._speeds.measure(member, own, now - self._since.get(member, now))
        return self._settle(done, PieceState.DONE) | self._settle(failed - done, PieceState.FAILED)

    def next(self, member: int, now: float) -> Answer:
        """Return the member's next pieces, ``Later`` if there are none now, or ``Over`` if every piece is settled."""
        self._held.setdefault(member, set())
        if self.is_over:
            return self._ended(member, now)
        if not self._held[member]:
            self._give(member, self._undealt_for(member) or self._silent_for(member, now), now)
        pieces = self._held[member]
        return Dealt(tuple(sorted(pieces))) if pieces else Later(self._pause)

    def expect(self, members: Iterable[int]) -> None:
        """Record all members. At the end, the first rank waits for all of them, even for those that still start."""
        self._expected = frozenset(members)

    def keep_only(self, is_member: Callable[[int], bool]) -> None:
        """Make the pieces of members that have left available again; a new member of the same rank begins anew."""
        for member in [one for one in self._held if not is_member(one)]:
            self._take_back(member)

    def _take_back(self, member: int) -> None:
        for piece in sorted(self._held.pop(member), reverse=True):
            self._holders[piece].discard(member)
            if not self._holders[piece]:
                self._undealt.append(piece)
        self._since.pop(member, None)
        self._informed.discard(member)
        self._speeds.forget(member)

    def _give(self, member: int, pieces: set[int], now: float) -> None:
        for piece in pieces:
            self._holders.setdefault(piece, set()).add(member)
        self._held[member] = pieces
        self._since[member] = now

    def _settle(self, pieces: set[int], state: PieceState) -> set[int]:
        # A piece goes from open to failed to done, and never back.
        changed = {piece for piece in pieces if self._states[piece] not in (state, PieceState.DONE)}
        for piece in changed:
            self._unsettled -= self._states[piece] == PieceState.OPEN
            self._states[piece] = state
            for holder in self._holders.pop(piece, ()):
                self._held[holder].discard(piece)
        return changed

    def _undealt_for(self, member: int) -> set[int]:
        """Take the next chunk for a member, without settled pieces: an earlier dealer may have dealt them."""
        while self._undealt and self._states[self._undealt[-1]] != PieceState.OPEN:
            self._undealt.pop()
        size = self._speeds.chunk(member, len(self._undealt), len(self._held))
        chunk = self._undealt[len(self._undealt) - size :]
        del self._undealt[len(self._undealt) - size :]
        return {piece for piece in chunk if self._states[piece] == PieceState.OPEN}

    def _silent_for(self, member: int, now: float) -> set[int]:
        """Return one piece of a silent member; empty if there is none.

        A piece that fewer members hold comes first, and then the piece of the member that is silent longest.
        """
        silent = [other for other in self._held if other != member and self._is_silent(other, now)]
        pieces = [
            (len(self._holders[piece]), self._since[other], piece) for other in silent for piece in self._held[other]
        ]
        return {min(pieces)[-1]} if pieces else set()

    def _is_silent(self, member: int, now: float) -> bool:
        return bool(self._held[member]) and now - self._since[member] > self._patience(member)

    def _patience(self, member: int) -> float:
        expected = self._speeds.expected(member, len(self._held[member]))
        return _SILENT_AT_FIRST_SECONDS if expected is None else max(_SILENT_SECONDS, _SILENT_FACTOR * expected)

    def _ended(self, member: int, now: float) -> Answer:
        """Return ``Over``; the first rank waits until the other members are informed, for a minute at most."""
        self._over_since = min(self._over_since, now)
        waited_for = (self._held.keys() | self._expected) - self._informed - {FIRST_RANK}
        if member == FIRST_RANK and waited_for and now - self._over_since < _SILENT_AT_FIRST_SECONDS:
            return Later(self._pause)
        self._informed.add(member)
        return Over()

    @property
    def _pause(self) -> float:
        return self._speeds.pause(len(self._held), least=_WAIT_SECONDS)
