"""The times that a kubelet writes before the lines of a log."""

from datetime import UTC, datetime, timedelta

_FIRST = datetime(2027, 1, 15, 7, tzinfo=UTC)
_LINES_A_SECOND = 3


def stamped(log, asked):
    """Write a time before each line; leave out lines from before the second of ``sinceTime``, as a kubelet does."""
    return log if not hasattr(log, "__aiter__") else _stamped(log, asked.get("sinceTime", "")[:19])


async def _stamped(log, since):
    number, begins = 0, True
    async for chunk in log:
        out = b""
        for line in chunk.splitlines(keepends=True):
            second = f"{_FIRST + timedelta(seconds=number // _LINES_A_SECOND):%Y-%m-%dT%H:%M:%S}"
            # Two of three lines have the same time.
            stamp = f"{second}.{number % _LINES_A_SECOND // 2:09}Z ".encode() if begins else b""
            begins = line.endswith(b"\n")
            out += stamp + line if second >= since else b""
            number += begins
        yield out
