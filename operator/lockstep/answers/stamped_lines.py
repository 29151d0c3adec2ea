"""Reads a log in several requests, so that no line is lost and no line comes twice.

The kubelet writes before each line the time of this line. After a cut, the next request asks for all lines since the
time of the last line.
"""

import re
from typing import NamedTuple

from lockstep.api.times import epoch_seconds

_STAMP = re.compile(rb"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8})(?:\.([0-9]{1,9}))?(Z|[+-][0-9]{2}:[0-9]{2}) ?")


class _Moment(NamedTuple):
    """A time. Floats of the whole time would be too coarse: the kubelet states nanoseconds."""

    seconds: float
    fraction: bytes


class StampedLines:
    """Removes times from the lines of one log, and leaves out lines that an earlier request has returned."""

    def __init__(self) -> None:
        self._last = b""
        # ``_at_last`` is the number of lines with the time ``_last``. ``_again`` is the number of these lines that the
        # present request has returned again.
        self._at_last = 0
        self._again = 0
        self._is_behind = False

    def next_request(self) -> dict[str, str]:
        """Begin another request; returns its parameters, which include ``sinceTime`` if there was a line before."""
        self._again, self._is_behind = 0, bool(self._last)
        since = {"sinceTime": self._last.strip().decode()} if self._last else {}
        return {"timestamps": "true", **since}

    def take(self, line: bytes) -> bytes | None:
        """The line without its time; None if an earlier request has returned it."""
        stamp = _STAMP.match(line)
        if stamp is None:
            # A very long line arrives in parts, and only the first part has a time.
            return None if self._is_behind else line
        if self._is_behind and self._is_old(stamp):
            return None
        self._is_behind = False
        self._at_last = self._at_last + 1 if stamp[0] == self._last else 1
        self._last = stamp[0]
        return line[stamp.end() :]

    def _is_old(self, stamp: "re.Match[bytes]") -> bool:
        last = _STAMP.match(self._last)
        assert last is not None, "lines are behind only if there was one"
        if _moment(stamp) == _moment(last):
            self._again += 1
            return self._again <= self._at_last
        return _moment(stamp) < _moment(last)


def _moment(stamp: "re.Match[bytes]") -> _Moment:
    seconds = epoch_seconds((stamp[1] + stamp[3]).decode())
    assert seconds is not None, "a time was given"
    return _Moment(seconds, (stamp[2] or b"").ljust(9, b"0"))
