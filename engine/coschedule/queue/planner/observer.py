"""Observers: they are told how a plan is made, so that the engine itself need not log."""

from typing import Protocol

from coschedule.queue.problem.decisions import Decision
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.search.candidates import Considered


class Observer(Protocol):
    """Told what happens while a plan is made; it cannot change the plan."""

    def considered(self, gang: PendingGang, runs: Considered) -> None:
        """Be told of runs that were looked at for a gang: for its choice, its alternative, or the reason it has none.

        Runs that a bound has ruled out are not looked at. A gang has none where it asks for the same as one that was
        refused, with nothing claimed between them.
        """

    def decided(self, gang: PendingGang, decision: Decision) -> None:
        """Be told of a decision, in planning order, after all runs that were considered for it."""


class _Silent:
    def considered(self, gang: PendingGang, runs: Considered) -> None:
        """Do nothing."""

    def decided(self, gang: PendingGang, decision: Decision) -> None:
        """Do nothing."""


silent: Observer = _Silent()
"""The observer that does nothing."""
