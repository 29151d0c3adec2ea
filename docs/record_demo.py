#!/usr/bin/env python3
"""`python docs/record_demo.py`: run the demo, and record what its terminal shows once the fourth gang has its answer.

Every run shows other times, so this is no part of `make generate`, which draws the recording.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click
from drawing import terminal
from rich.console import Console, RenderableType
from rich.text import Text

from lockstep_demo.screen import Screen
from lockstep_demo.stage import stage

# The name of the gang whose first news is the last line of the log.
_LAST_GANG = "census"
# Too few for reasons of several lines below the table of gangs: the log has them in full.
_LINES = 30


class _RecordedError(Exception):
    """Ends the run: what follows is not recorded."""


class _Recorder(Screen):
    """A terminal that keeps what it shows: the log, and below it the newest picture."""

    def __init__(self) -> None:
        super().__init__(
            Console(
                file=io.StringIO(),
                record=True,
                force_terminal=True,
                color_system="standard",
                width=terminal.COLUMNS,
                height=_LINES,
            )
        )
        self._is_last_told = False

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Show no picture but the last."""
        yield

    def tell(self, elapsed: float, who: Text, text: str) -> None:
        """Add a line to the log."""
        super().tell(elapsed, who, text)
        self._is_last_told = who.plain == _LAST_GANG

    def show(self, picture: RenderableType) -> None:
        """Show the picture that follows the last line, and end the run."""
        if self._is_last_told:
            self.console.print(picture)
            raise _RecordedError

    def recording(self) -> str:
        """Return what was shown since the last call, without empty ends."""
        lines = self.console.export_text(styles=True).strip().splitlines()
        return "".join(f"{line.rstrip()}\n" for line in lines)


def main() -> None:
    """Write the recording."""
    click.echo(f"Running the demo until {_LAST_GANG} has its answer ...")
    recorder = _Recorder()
    with suppress(_RecordedError), stage(recorder) as play:
        # What was shown so far speaks of this machine: where its programs are, and how fast they start.
        recorder.recording()
        try:
            play.run()
        finally:
            terminal.RECORDING.write_text(recorder.recording(), encoding="utf-8")
    click.echo(f"Wrote docs/drawing/{terminal.RECORDING.name}.")


if __name__ == "__main__":
    main()
