"""Observers: they are notified while a plan is made, so that the engine itself need not log."""

from typing import Protocol

from coschedule.queue.problem.decisions import Decision
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.search.candidates import Considered


class Observer(Protocol):
    """An observer is notified while a plan is made; it cannot change the plan."""

    def considered(self, gang: PendingGang, runs: Considered) -> None:
        """Receive runs that were computed for a gang: for its choice, its alternative, or its refusal.

        Runs that a bound has ruled out are not computed. No runs are computed for a gang that asks for the same as a
        refused gang, if nothing was claimed between the two.
        """

    def decided(self, gang: PendingGang, decision: Decision) -> None:
        """Receive a decision, in planning order, after all runs that were considered for it."""


class _Silent:
    def considered(self, gang: PendingGang, runs: Considered) -> None:
        """Do nothing."""

    def decided(self, gang: PendingGang, decision: Decision) -> None:
        """Do nothing."""


silent: Observer = _Silent()
"""The observer that does nothing."""
