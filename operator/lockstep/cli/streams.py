"""The standard streams of a command: one that is closed or full ends it with one sentence."""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import click

_CLOSED = "it is closed"


@contextmanager
def standard_streams() -> Iterator[None]:
    """End the process with one sentence where its output can't be written, at its end too, or its input can't be read.

    Whoever reads the output may stop at any time: then it ends without a word.
    """
    was_closed = {name for name in ("stdin", "stdout", "stderr") if getattr(sys, name) is None}
    output = _prepare()
    try:
        yield
    except (OSError, SystemExit) as end:
        unwritten = None if output is None else _why_unwritten(output)
        if unwritten is not None:
            if unwritten.errno != errno.EPIPE:
                _tell("The output can't be written", _CLOSED if "stdout" in was_closed else unwritten.strerror)
        elif (unread := _why_unread(end, is_closed="stdin" in was_closed)) is not None:
            _tell("The input can't be read", unread)
        else:
            raise
        raise SystemExit(1) from end


class _Messages(io.FileIO):
    """Messages and progress that can't be written go nowhere: a command does what it began all the same."""

    # Any buffer, as below.
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class _Output(io.FileIO):
    """What is printed goes through it. It remembers why something could not be written: buffers forget that."""

    failure: OSError | None = None

    # What is written may be any buffer, for which there is no type before Python 3.12.
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.failure = error
            raise


def _prepare() -> _Output | None:
    """Replace streams that are closed, so that no other file gets their numbers, and watch the output.

    Input and output that were closed can be used as little as before, and messages that can't be written go nowhere.
    Nothing is watched where the process prints into something of its own, as tests do.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY), "r")
    output = _watch(sys.stdout) if sys.stdout is sys.__stdout__ else None
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    elif sys.__stderr__ is not None and sys.stderr is sys.__stderr__:
        sys.stderr = _where_possible(sys.stderr)
    return output


def _where_possible(stderr: TextIO) -> TextIO:
    """Have what can't be written there go nowhere."""
    messages = _Messages(stderr.fileno(), "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(messages), stderr.encoding, stderr.errors, line_buffering=True)


def _watch(stdout: TextIO | None) -> _Output:
    """Have the process print through what is returned."""
    number = os.open(os.devnull, os.O_RDONLY) if stdout is None else stdout.fileno()
    output = _Output(number, "w", closefd=False)
    encoding, errors = (None, None) if stdout is None else (stdout.encoding, stdout.errors)
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(output), encoding, errors, line_buffering=output.isatty())
    return output


def _why_unwritten(output: _Output) -> OSError | None:
    """Why what was printed can't be written. What is left of it goes nowhere, so that no one else fails with it."""
    try:
        sys.stdout.flush()
    except OSError as error:
        output.failure = error
    if output.failure is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
    return output.failure


def _why_unread(end: BaseException, *, is_closed: bool) -> str | None:
    """Why what a command reads can't be read; None where it has ended for another reason."""
    number = end.errno if isinstance(end, OSError) else None
    if number == errno.EBADF and is_closed:
        return _CLOSED
    return os.strerror(errno.EIO) if number == errno.EIO else None


def _tell(what: str, why: str | None) -> None:
    click.ClickException(f"{what}: {why}.").show()
