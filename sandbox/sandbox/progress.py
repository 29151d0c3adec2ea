"""Shows users the progress of steps that take long."""

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

HEARTBEAT_SECONDS = 30.0


class Progress(Protocol):
    """Shows steps to a user. Callers do the same work, however the steps are shown."""

    def say(self, text: str) -> None:
        """Show one line."""

    def step(self, text: str) -> AbstractContextManager[None]:
        """Show ``text`` with the time it has taken so far, until the block ends."""


class Silent:
    """Shows nothing. Tests use it, and callers that have their own display."""

    def say(self, text: str) -> None:
        """Show nothing."""

    def step(self, text: str) -> AbstractContextManager[None]:  # noqa: ARG002 - the protocol's signature
        """Run the block, and show nothing."""
        return nullcontext()


class OnConsole:
    """Shows a running clock on a terminal. In a file or a pipe, it adds a line every 30 seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def say(self, text: str) -> None:
        """Show one line."""
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    @contextmanager
    def step(self, text: str) -> Iterator[None]:
        """Show ``text`` and the time since the start of the block. After the block, show the total time."""
        started = time.monotonic()
        with self._clock(text) if self._console.is_terminal else self._heartbeat(text):
            yield
        self.say(f"{text}: done in {time.monotonic() - started:.1f} s")

    @contextmanager
    def _clock(self, text: str) -> Iterator[None]:
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        with Bar(*columns, console=self._console, transient=True) as bar:
            bar.add_task(text, total=None)
            yield

    @contextmanager
    def _heartbeat(self, text: str) -> Iterator[None]:
        self.say(f"{text} ...")
        done = threading.Event()
        beat = threading.Thread(target=self._beat, args=(text, done), daemon=True)
        beat.start()
        try:
            yield
        finally:
            done.set()
            beat.join()

    def _beat(self, text: str, done: threading.Event) -> None:
        started = time.monotonic()
        while not done.wait(HEARTBEAT_SECONDS):
            self.say(f"{text} ... {time.monotonic() - started:.0f} s")
