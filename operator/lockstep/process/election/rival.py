"""When another process may still hold the lease, judged by when we saw the lease change, by our own clock.

The times that stand in the lease are for people. Whoever holds it stops writing before its lease duration is over, by
its own clock, counted from before its last renewal; we wait the whole duration, counted from after we saw that renewal.
So clocks need not agree on the time, but only on how long a second is.
"""

from lockstep.api.cluster.lease import Lease


class Rival:
    """Until when the lease counts as somebody else's. Times are seconds of one monotonic clock.

    A lease that its holder has given back, or that was never held, is free at once. One that is missing, or that
    somebody has emptied, may have a holder that does not know of it yet: it counts as held for ``seconds`` after we
    first saw it so.
    """

    def __init__(self, *, seconds: float) -> None:
        self._seconds = seconds
        self._has_looked = False
        self._seen: Lease | None = None
        self._held: Lease | None = None
        self._held_until = 0.0

    def see(self, lease: Lease | None, now: float) -> None:
        """Note what the API server shows now."""
        is_first, self._has_looked = not self._has_looked, True
        if not is_first and _says_the_same(lease, self._seen):
            return
        self._seen = lease
        if lease is not None and (lease.is_given_back or lease.is_unused):
            self._see_free(lease, now, is_first=is_first)
            return
        if lease is not None and (lease.holder or self._held is None):
            self._held = lease
        self._held_until = now + max(self._longest(), 0 if lease is None else lease.seconds)

    def seconds_left(self, now: float) -> float:
        """How long somebody else can still believe to hold the lease."""
        return max(0.0, self._held_until - now) if self._has_looked else self._seconds

    def _see_free(self, lease: Lease, now: float, *, is_first: bool) -> None:
        if is_first or (lease.is_given_back and self._is_no_older_than_held(lease)):
            self._held_until = now
        elif self._held is not None and lease.uid == self._held.uid:
            # Somebody has wiped out all that was written there, or set the API server back.
            self._held_until = now + self._longest()
        # Else it is another object of that name, which says nothing of the one that was held, or missing.

    def _is_no_older_than_held(self, lease: Lease) -> bool:
        held = self._held
        return held is None or (lease.uid == held.uid and lease.transitions >= held.transitions)

    def _longest(self) -> float:
        """How long whoever held it when it was last seen held may go on believing so."""
        return max(self._seconds, 0 if self._held is None else self._held.seconds)


def _says_the_same(lease: Lease | None, seen: Lease | None) -> bool:
    """Labels and the like, which anybody may change, say nothing of the holder."""
    if lease is None or seen is None:
        return lease is seen
    return (lease.uid, lease.spec, lease.is_given_back) == (seen.uid, seen.spec, seen.is_given_back)
