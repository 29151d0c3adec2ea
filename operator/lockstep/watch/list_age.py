"""Detects lists that are older than objects seen before, and accepts them only after a restore.

The API server answers a list with its present state. So an older list usually comes from a faulty component in between,
and the next list is newer. But after etcd was restored from a backup, the server's present state is itself older, and
the cache must follow it. All further lists are then older, too. So the third older list in a row is accepted.
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

    def accepts(self, version: str) -> bool:
        """Whether to accept a list of that version."""
        if not is_older(version, self._newest):
            self._older_in_a_row = 0
            return True
        self._older_in_a_row += 1
        return self._older_in_a_row >= _TIMES_UNTIL_ACCEPTED
