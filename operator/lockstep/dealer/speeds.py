"""The speeds of members in pieces a second, and the number of pieces that a member gets at once, its chunk.

A member's share of the pieces that are left follows from its measured speed. A chunk is about half of this share. So
chunks shrink, and the last pieces are dealt one by one. Pieces differ in length, so the speed of a few pieces says
little about many. A chunk is at most twice as large as the member's largest measured chunk. Cf. Polychronopoulos and
Kuck, "Guided self-scheduling" (1987), and Hummel et al., "Factoring" (1992).
"""

import math

_NEWEST_WEIGHS = 0.5
_PART_OF_SHARE = 0.5
_LARGEST_CHUNK = 1_000
_CHUNK_SECONDS = 10.0
_GROWS_BY = 2
# With a tenth of a processor, the dealer can answer this number of requests a second, of all members together.
_REQUESTS_A_SECOND = 20.0
# Shorter intervals, in seconds, count as this long.
_LEAST_SECONDS = 1e-3


class Speeds:
    """The measured speeds of members, in pieces a second."""

    def __init__(self) -> None:
        self._speeds: dict[int, float] = {}
        # The most pieces that a member has done at once.
        self._most: dict[int, int] = {}

    def measure(self, member: int, pieces: int, seconds: float) -> None:
        """Record that a member took ``seconds`` for ``pieces`` pieces."""
        if pieces:
            speed = pieces / max(seconds, _LEAST_SECONDS)
            before = self._speeds.get(member, speed)
            self._speeds[member] = before + _NEWEST_WEIGHS * (speed - before)
            self._most[member] = max(pieces, self._most.get(member, 0))

    def forget(self, member: int) -> None:
        """Forget a member that has left."""
        self._speeds.pop(member, None)
        self._most.pop(member, None)

    def chunk(self, member: int, left: int, members: int) -> int:
        """Return the number of pieces that the member gets, of the ``left`` pieces; one until its speed is known."""
        speed = self._speeds.get(member)
        if speed is None:
            return min(1, left)
        guided = math.ceil(_PART_OF_SHARE * left * speed / self._together(members))
        in_time = int(min(speed * self.pause(members, least=_CHUNK_SECONDS), _LARGEST_CHUNK))
        return min(max(1, min(guided, in_time, _GROWS_BY * self._most[member])), left)

    def pause(self, members: int, *, least: float) -> float:
        """Return the pause between two requests of a member, in seconds: ``least``, or longer with many members."""
        return max(least, members / _REQUESTS_A_SECOND)

    def expected(self, member: int, pieces: int) -> float | None:
        """Return the seconds that the member takes for these pieces, by its own speed or the mean; None if unknown."""
        speed = self._speeds.get(member) or self._mean()
        return None if speed is None else pieces / speed

    def _together(self, members: int) -> float:
        """Return the speed of all members together; members that are not measured count as the mean of the others."""
        return sum(self._speeds.values()) + (self._mean() or 0.0) * max(0, members - len(self._speeds))

    def _mean(self) -> float | None:
        return sum(self._speeds.values()) / len(self._speeds) if self._speeds else None
