"""How fast members work through pieces, and how many a member gets at once.

Chunks are guided: about half of a member's share, by its measured speed, of what is left. So they shrink, and the last
pieces are dealt one by one. Pieces differ in length, so the speed that a few of them show is not trusted for many: a
chunk is twice as large as the largest that was measured, at most. Cf. Polychronopoulos and Kuck, "Guided
self-scheduling" (1987), and Hummel et al., "Factoring" (1992).
"""

import math

_NEWEST_WEIGHS = 0.5
_PART_OF_SHARE = 0.5
_LARGEST_CHUNK = 1_000
_CHUNK_SECONDS = 10.0
_GROWS_BY = 2
# What the dealer answers with a tenth of a processor, all members together.
_REQUESTS_A_SECOND = 20.0
# No shorter interval is measured.
_LEAST_SECONDS = 1e-3


class Speeds:
    """The measured speeds of members, in pieces a second."""

    def __init__(self) -> None:
        self._speeds: dict[int, float] = {}
        # The most pieces that a member has done at once.
        self._most: dict[int, int] = {}

    def measure(self, member: int, pieces: int, seconds: float) -> None:
        """Record that a member took so long for some pieces."""
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
        """How many of the pieces that are left the member gets: one until its speed is known."""
        speed = self._speeds.get(member)
        if speed is None:
            return min(1, left)
        guided = math.ceil(_PART_OF_SHARE * left * speed / self._together(members))
        in_time = int(min(speed * self.pause(members, least=_CHUNK_SECONDS), _LARGEST_CHUNK))
        return min(max(1, min(guided, in_time, _GROWS_BY * self._most[member])), left)

    def pause(self, members: int, *, least: float) -> float:
        """Between two requests of a member, in seconds: ``least``, or as long as so many members require."""
        return max(least, members / _REQUESTS_A_SECOND)

    def expected(self, member: int, pieces: int) -> float | None:
        """The seconds that the member takes for so many pieces, by its own speed or the mean; None if unknown."""
        speed = self._speeds.get(member) or self._mean()
        return None if speed is None else pieces / speed

    def _together(self, members: int) -> float:
        """The speed of all members: one that was not measured yet counts as the mean of the others."""
        return sum(self._speeds.values()) + (self._mean() or 0.0) * max(0, members - len(self._speeds))

    def _mean(self) -> float | None:
        return sum(self._speeds.values()) / len(self._speeds) if self._speeds else None
