"""Handles standard streams that are closed or full: the command then ends with one sentence."""

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
    """End the process with one sentence if its output can't be written or its input can't be read.

    If the reader of the output has closed it, the process ends without a message.
    """
    was_closed = {name for name in ("stdin", "stdout", "stderr") if getattr(sys, name) is None}
    output = _prepare()
    try:
        yield
    except (OSError, SystemExit) as end:
        unwritten = None if output is None else _why_unwritten(output)
        if unwritten is not None:
            if unwritten.errno != errno.EPIPE:
                _print_error("The output can't be written", _CLOSED if "stdout" in was_closed else unwritten.strerror)
        elif (unread := _why_unread(end, is_closed="stdin" in was_closed)) is not None:
            _print_error("The input can't be read", unread)
        else:
            raise
        raise SystemExit(1) from end


class _Messages(io.FileIO):
    """Drops messages and progress that can't be written, so that a command can still do its work."""

    # ``data`` may be any buffer, as in ``_Output``.
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class _Output(io.FileIO):
    """Writes all output. It keeps the error of a failed write, because buffers lose it."""

    failure: OSError | None = None

    # ``data`` may be any buffer; Python has no type for that before 3.12.
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.failure = error
            raise


def _prepare() -> _Output | None:
    """Replace closed streams, so that no other file gets their descriptors; returns the watched output.

    Reads of closed input and writes to closed output still fail. Messages that can't be written are dropped. If
    ``sys.stdout`` was replaced, as in tests, the output is not watched, and the function returns None.
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
    """Return a stream for messages. The stream drops messages that can't be written."""
    messages = _Messages(stderr.fileno(), "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(messages), stderr.encoding, stderr.errors, line_buffering=True)


def _watch(stdout: TextIO | None) -> _Output:
    """Make an output that keeps errors, let the process print through it, and return it."""
    number = os.open(os.devnull, os.O_RDONLY) if stdout is None else stdout.fileno()
    output = _Output(number, "w", closefd=False)
    encoding, errors = (None, None) if stdout is None else (stdout.encoding, stdout.errors)
    if errors == "strict":
        # Names and messages of users may have characters that the encoding of a terminal lacks.
        errors = "backslashreplace"
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(output), encoding, errors, line_buffering=output.isatty())
    return output


def _why_unwritten(output: _Output) -> OSError | None:
    """Flush the output; returns the error if it can't be written, else None.

    After an error, the rest of the output is dropped, so that no later flush fails.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        output.failure = error
    if output.failure is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
    return output.failure


def _why_unread(end: BaseException, *, is_closed: bool) -> str | None:
    """Why the input can't be read; None if the command has ended for another reason."""
    number = end.errno if isinstance(end, OSError) else None
    if number == errno.EBADF and is_closed:
        return _CLOSED
    return os.strerror(errno.EIO) if number == errno.EIO else None


def _print_error(what: str, why: str | None) -> None:
    click.ClickException(f"{what}: {why}.").show()
