"""Shows the demo.

On a terminal, log lines appear above tables that change. Without a terminal, only plain lines are printed.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

TIME, WHO = 6, 8


class Screen:
    """Shows log lines, and below them one picture at a time."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._live: Live | None = None

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Show pictures during the block. Each picture replaces the previous one. Without a terminal, show none."""
        if not self.console.is_terminal:
            yield
            return
        with Live(console=self.console, auto_refresh=False) as self._live:
            yield
        self._live = None

    def show(self, picture: RenderableType) -> None:
        """Replace the picture. Outside of ``moving`` or without a terminal, do nothing."""
        if self._live is not None:
            self._live.update(picture, refresh=True)

    def log(self, elapsed: float, who: Text, text: str) -> None:
        """Add a line to the log: the time, the actor or gang, and the text."""
        when = f"{elapsed:4.1f} s"
        if not self.console.is_terminal:
            self.say(f"{when:>{TIME}} {who.plain:<{WHO}} {text}")
            return
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_column(width=TIME, style="bright_black")
        line.add_column(width=WHO)
        line.add_column()
        line.add_row(when, who, Text(text))
        self.console.print(line)

    def say(self, text: str) -> None:
        """Print a line without a time and a name."""
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)
