"""The request language on standard input and output: one JSON request per line in, one JSON answer per line out."""

import sys
from collections.abc import Iterator
from typing import BinaryIO

from coschedule.requests.answer import LONGEST_LINE, answer_line


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer every line, in order, each flushed before the next is read; the last one needs no end of line."""
    for line in _lines(requests):
        answers.write(answer_line(line))
        answers.flush()


def _lines(requests: BinaryIO) -> Iterator[bytes]:
    """Read line by line; of one that is too long, no more than shows that it is."""
    while line := requests.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            line = requests.readline(LONGEST_LINE + 1)


def main() -> int:
    """Serve standard input; 0 at its end, 1 when nobody reads the answers any more."""
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
