"""What the agent has learnt of its node, kept in a file across restarts."""

from pathlib import Path

from lockstep.agent.history import history_file
from lockstep.agent.history.history import HourOfLoad
from lockstep.agent.history.history_file import Dropped, Learnt
from lockstep.agent.history.hours import ClockHour


class HistoryStore:
    """Reads the file once, and writes it when asked. Trouble with it costs what was learnt, and no more than that."""

    def __init__(self, file: Path, measured_on: str) -> None:
        self.learnt = Learnt()
        self._file, self._measured_on = file, measured_on
        self._news: list[str] = []
        self._trouble = ""

    def recall(self, today: int) -> None:
        """Read the file, if there is one that is not older than it may be on the day ``today``."""
        read = history_file.load(self._file, today=today, measured_on=self._measured_on)
        if isinstance(read, Dropped):
            self._news.append(f"The history begins anew. {read.sentence}")
        elif read is not None:
            self.learnt = read

    def owner_was(self) -> bool:
        """Whether the owner was there when it was known last; not, where it never was."""
        return self.learnt.owner is not None and self.learnt.owner[0]

    def owner_is(self, *, present: bool, wall: float) -> None:
        """Remember since when the owner has been there, or away."""
        if self.learnt.owner is None or self.learnt.owner[0] is not present:
            self.learnt.owner = (present, wall)

    def clock_was_set(self, by: float) -> None:
        """Keep the owner's time as long ago as it was."""
        if self.learnt.owner is not None:
            present, since = self.learnt.owner
            self.learnt.owner = (present, since + by)

    def note(self, when: ClockHour, five: HourOfLoad) -> None:
        """Take in the mean of five minutes, and write everything down."""
        self.learnt.history.add(when, five)
        trouble = history_file.save(self._file, self.learnt, self._measured_on) or ""
        if trouble and trouble != self._trouble:
            self._news.append(trouble)
        self._trouble = trouble

    def news(self) -> tuple[str, ...]:
        """Return sentences since the last call."""
        news, self._news = self._news, []
        return tuple(news)
