"""What the agent has learned about its node, in memory and in the file that keeps it over restarts."""

from pathlib import Path

from lockstep.agent.history import history_file
from lockstep.agent.history.history import HourOfLoad
from lockstep.agent.history.history_file import Dropped, Learnt
from lockstep.agent.history.hours import ClockHour


class HistoryStore:
    """Reads the file once, and writes it with every record.

    After an error, the worst result is that the history is lost.
    """

    def __init__(self, file: Path, measured_on: str) -> None:
        self.learnt = Learnt()
        self._file, self._measured_on = file, measured_on
        self._messages: list[str] = []
        self._trouble = ""

    def recall(self, today: int) -> None:
        """Read the file. It is ignored if it is too old on the day ``today``."""
        read = history_file.load(self._file, today=today, measured_on=self._measured_on)
        if isinstance(read, Dropped):
            self._messages.append(f"The history begins anew. {read.sentence}")
        elif read is not None:
            self.learnt = read

    def owner_was(self) -> bool:
        """Whether the node owner was present at the last observation; False if there was none."""
        return self.learnt.owner is not None and self.learnt.owner[0]

    def owner_is(self, *, present: bool, wall: float) -> None:
        """Record whether the owner is present. If this has changed, also record since when."""
        if self.learnt.owner is None or self.learnt.owner[0] is not present:
            self.learnt.owner = (present, wall)

    def clock_was_set(self, by: float) -> None:
        """Shift the time since which the owner is present or away by ``by``, the seconds by which the clock was set."""
        if self.learnt.owner is not None:
            present, since = self.learnt.owner
            self.learnt.owner = (present, since + by)

    def record(self, when: ClockHour, five: HourOfLoad) -> None:
        """Add the mean of five minutes, and write the file."""
        self.learnt.history.add(when, five)
        trouble = history_file.save(self._file, self.learnt, self._measured_on) or ""
        if trouble and trouble != self._trouble:
            self._messages.append(trouble)
        self._trouble = trouble

    def take_messages(self) -> tuple[str, ...]:
        """Return the sentences for the log since the last call."""
        messages, self._messages = self._messages, []
        return tuple(messages)
