"""Computes how long another process may still hold the lease, by the times at which this process observed its changes.

The times in the lease are not compared. The holder stops writing before the lease duration is over. The holder uses its
own clock, and counts from a time before its last renewal. This process waits for the whole duration, and counts from
the time at which it observed that renewal. So clocks need not show the same time; they only have to run at the same
speed.
"""

from lockstep.api.cluster.lease import Lease


class Rival:
    """Computes how long the lease counts as held by another process. Times are seconds of one monotonic clock.

    A lease that its holder has released, or that was never held, is free at once. If the lease is missing or was
    emptied, its holder may not have noticed that yet. So the lease counts as held for ``seconds`` after this process
    first observed that it is missing or empty.
    """

    def __init__(self, *, seconds: float) -> None:
        self._seconds = seconds
        self._has_read = False
        self._seen: Lease | None = None
        self._held: Lease | None = None
        self._held_until = 0.0

    def see(self, lease: Lease | None, now: float) -> None:
        """Record the lease as the API server returns it now; ``lease`` is None if it is missing."""
        is_first, self._has_read = not self._has_read, True
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
        """For how many seconds another process may still assume that it holds the lease."""
        return max(0.0, self._held_until - now) if self._has_read else self._seconds

    def _see_free(self, lease: Lease, now: float, *, is_first: bool) -> None:
        if is_first or (lease.is_given_back and self._is_no_older_than_held(lease)):
            self._held_until = now
        elif self._held is not None and lease.uid == self._held.uid:
            # Another client has emptied the lease, or the API server was restored from a backup.
            self._held_until = now + self._longest()
        # Otherwise this free lease is a new object. It does not show that the holder of an earlier lease has stopped.

    def _is_no_older_than_held(self, lease: Lease) -> bool:
        held = self._held
        return held is None or (lease.uid == held.uid and lease.transitions >= held.transitions)

    def _longest(self) -> float:
        """For how many seconds the last observed holder may assume that it holds the lease."""
        return max(self._seconds, 0 if self._held is None else self._held.seconds)


def _says_the_same(lease: Lease | None, seen: Lease | None) -> bool:
    """Whether two observations of the lease are equal.

    Labels and other metadata don't count, since any client may change them.
    """
    if lease is None or seen is None:
        return lease is seen
    return (lease.uid, lease.spec, lease.is_given_back) == (seen.uid, seen.spec, seen.is_given_back)
