"""Watching a plan being made, without a trace of logging in the engine."""

from typing import Protocol

from coschedule.cluster.decision import Decision
from coschedule.cluster.snapshot import PendingGang


class Observer(Protocol):
    """Told what happens while a plan is made; what it does cannot change the plan."""

    def decided(self, gang: PendingGang, decision: Decision) -> None:
        """Hear of a decision, in planning order."""


class _Silent:
    def decided(self, gang: PendingGang, decision: Decision) -> None:
        """Keep quiet."""


silent: Observer = _Silent()
"""The observer that does nothing."""
