"""Watching a plan being made, without a trace of logging in the engine."""

from typing import Protocol

from coschedule.queue.candidates import Considered
from coschedule.queue.decisions import Decision
from coschedule.queue.gangs import PendingGang


class Observer(Protocol):
    """Told what happens while a plan is made; what it does cannot change the plan."""

    def considered(self, gang: PendingGang, runs: Considered) -> None:
        """Hear of runs that were looked at for a gang: for its choice, its alternative, or the reason it has none.

        What a bound has ruled out before is not looked at.
        """

    def decided(self, gang: PendingGang, decision: Decision) -> None:
        """Hear of a decision, in planning order, after all that was considered for it."""


class _Silent:
    def considered(self, gang: PendingGang, runs: Considered) -> None:
        """Keep quiet."""

    def decided(self, gang: PendingGang, decision: Decision) -> None:
        """Keep quiet."""


silent: Observer = _Silent()
"""The observer that does nothing."""
