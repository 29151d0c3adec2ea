"""The request language on standard input and output: one JSON request per line in, one JSON answer per line out."""

import sys
from collections.abc import Iterator
from typing import BinaryIO

from coschedule.requests.answer import LONGEST_LINE, answer_line


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer each line in order, and flush each answer before the next read; the last line needs no newline."""
    for line in _lines(requests):
        answers.write(answer_line(line))
        answers.flush()


def _lines(requests: BinaryIO) -> Iterator[bytes]:
    """Yield each line. A line that is too long is cut one byte above the limit, and its rest is dropped."""
    while line := requests.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            line = requests.readline(LONGEST_LINE + 1)


def main() -> int:
    """Serve standard input; return 0 at its end, 1 when standard output is closed."""
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
