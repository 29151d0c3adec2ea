"""Detects lists that are older than objects seen before, and accepts them only after a restore.

The API server answers a list with its present state. So an older list usually comes from a faulty component in between,
and the next list is newer. But after a restore of etcd from a backup, the server's present state is older, and so are
all further lists. The cache must then follow the server. So the third older list in a row is accepted.
"""

from lockstep.api.versions import is_older

_TIMES_UNTIL_ACCEPTED = 3


class ListAge:
    """Knows the newest version of one kind that was seen, and counts how many lists in a row were older."""

    def __init__(self, newest: str = "") -> None:
        self._newest = newest
        self._older_in_a_row = 0

    def saw(self, version: str) -> None:
        """Record the version of an object, or of an accepted list."""
        self._newest = version

    def accept_or_count(self, version: str) -> bool:
        """Accept a list of that version, or count it as an older one; returns whether it is accepted."""
        if not is_older(version, self._newest):
            self._older_in_a_row = 0
            return True
        self._older_in_a_row += 1
        return self._older_in_a_row >= _TIMES_UNTIL_ACCEPTED
