"""The request language on standard input and output: one JSON request a line in, one JSON answer a line out."""

import sys
from typing import BinaryIO

from coschedule.requests.answer import answer_line


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer every line, in order, each flushed before the next is read."""
    for line in requests:
        answers.write(answer_line(line))
        answers.flush()


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
