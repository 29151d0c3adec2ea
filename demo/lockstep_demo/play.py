"""Runs the demo: makes each step when it is due, and prints changes, until every gang has finished."""

import datetime as dt
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Group
from rich.text import Text

from lockstep_demo.bids import LATE_NODE, LATE_SECONDS, LEAVING_NODE, LEAVING_SECONDS, Offer
from lockstep_demo.changes import changes
from lockstep_demo.operator_process import OperatorProcess
from lockstep_demo.screen import Screen
from lockstep_demo.script import PATIENCE_SECONDS, Step, steps
from lockstep_demo.sight import Sight, read_cluster
from lockstep_demo.tables import colour_of, gang_table, node_table
from sandbox.control_plane import Sandbox
from sandbox.errors import SandboxError

PERIOD_SECONDS = 0.2
# With this number of lines, the whole picture always fits, even if reasons take two lines.
TALL_LINES = 34
WINDOWS = (
    f"{LATE_NODE} is free only in {LATE_SECONDS} s; the owner of {LEAVING_NODE} takes it back in {LEAVING_SECONDS} s."
)
NOTHING = Sight(gangs=(), occupants={})


@dataclass(slots=True, kw_only=True)
class Play:
    """One run of the demo. ``began`` is the time of day at which the bids were made."""

    sandbox: Sandbox
    operator: OperatorProcess
    screen: Screen
    offers: Sequence[Offer]
    began: float
    _started: float = field(default_factory=time.monotonic)
    _ahead: deque[Step] = field(default_factory=lambda: deque(steps()))
    _seen: Sight = NOTHING

    def run(self) -> Sight:
        """Run the demo to its end, and return the last sight. Raises SandboxError if the demo does not end."""
        self._open()
        with self.screen.moving():
            while self._ahead or not _all_complete(self._seen):
                self._take_due_steps()
                self._show_changes()
                self._check()
                time.sleep(PERIOD_SECONDS)
        return self._seen

    def _open(self) -> None:
        second_0 = dt.datetime.fromtimestamp(self.began, tz=dt.UTC)
        self.screen.say(f"\n{WINDOWS}\nSecond 0 is {second_0:%H:%M:%S} UTC.\n")
        if not self.screen.console.is_terminal:
            self.screen.console.print(node_table(self.offers, read_cluster(self.sandbox), elapsed=0.0), "", sep="\n")

    def _take_due_steps(self) -> None:
        while self._ahead and self._ahead[0].at <= self._elapsed():
            step = self._ahead.popleft()
            self.screen.log(self._elapsed(), Text(step.who, style="bold"), step.says)
            if step.does is not None:
                step.does(self.sandbox)

    def _show_changes(self) -> None:
        before, self._seen = self._seen, read_cluster(self.sandbox)
        for gang, line in changes(before, self._seen):
            self.screen.log(self._elapsed(), Text(gang, style=colour_of(gang, self._seen)), line)
        nodes = node_table(self.offers, self._seen, elapsed=self._elapsed())
        gangs = gang_table(self._seen, began=self.began, wraps=self.screen.console.height >= TALL_LINES)
        self.screen.show(Group("", nodes, "", gangs))

    def _check(self) -> None:
        if not self.operator.is_alive:
            raise SandboxError("The operator ended before the demo.")
        if failed := [gang.name for gang in self._seen.gangs if gang.complete.reason == "MemberFailed"]:
            raise SandboxError(f"A member of {failed[0]} failed, which is not part of the demo.")
        if self._elapsed() > PATIENCE_SECONDS:
            late = ", ".join(gang.name for gang in self._seen.gangs if gang.complete.status != "True")
            raise SandboxError(f"After {PATIENCE_SECONDS:.0f} s these gangs have not finished: {late or 'none seen'}.")

    def _elapsed(self) -> float:
        return time.monotonic() - self._started


def _all_complete(sight: Sight) -> bool:
    return all(gang.complete.status == "True" for gang in sight.gangs)
