"""Lists from the past: a stale one is not to be believed, one of an API server that was set back is.

The API server answers a list from the present, so an older one comes from something broken in between, and the next is
better. But where etcd was restored from a backup, the present itself is older than what was seen, and belief has to
follow. What tells the two apart is that the server stays with it.
"""

from lockstep.api.versions import is_older

_TIMES_UNTIL_BELIEVED = 3


class ListAge:
    """Knows the newest version of one kind that was seen, and how often in a row a list was older."""

    def __init__(self, newest: str = "") -> None:
        self._newest = newest
        self._older_in_a_row = 0

    def saw(self, version: str) -> None:
        """An object, or a list that is believed, of that version was seen."""
        self._newest = version

    def is_believed(self, version: str) -> bool:
        """Whether to believe a list of that version."""
        if not is_older(version, self._newest):
            self._older_in_a_row = 0
            return True
        self._older_in_a_row += 1
        return self._older_in_a_row >= _TIMES_UNTIL_BELIEVED
