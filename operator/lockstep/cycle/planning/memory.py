"""What the next plan remembers of the last one: what gangs were promised, and what each was given."""

from collections.abc import Collection
from dataclasses import replace

from coschedule import GangKey, Plan, Promises, Snapshot, remembering


class PlanMemory:
    """The last plan, and the facts that it was made on."""

    def __init__(self, promises: Promises) -> None:
        self._promises = promises
        self._last: tuple[Snapshot, Plan] | None = None

    @property
    def gangs(self) -> Collection[GangKey]:
        """The gangs that were in the last plan: what it gave them, or that it gave them nothing, is remembered."""
        return {gang.key for gang in self._last[0].gangs} if self._last else ()

    def remembered_by(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with what its gangs were given before; what they were told stands in their statuses."""
        snapshot = replace(snapshot, promises=self._promises)
        return snapshot if self._last is None else remembering(snapshot, *self._last)

    def forget(self) -> None:
        """Nobody waits: whoever comes again is a new gang."""
        self._last = None

    def note(self, snapshot: Snapshot, made: Plan) -> None:
        """Remember a plan in the place of the one before."""
        self._last = snapshot, made
