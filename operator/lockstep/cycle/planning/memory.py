"""What the next plan takes over from the last one: the promises and the placement of each gang."""

from collections.abc import Collection
from dataclasses import replace

from coschedule import GangKey, Plan, Promises, Snapshot, remembering


class PlanMemory:
    """Keeps the last plan and its facts."""

    def __init__(self, promises: Promises) -> None:
        self._promises = promises
        self._last: tuple[Snapshot, Plan] | None = None

    @property
    def gangs(self) -> Collection[GangKey]:
        """The gangs in the last plan, placed or refused."""
        return {gang.key for gang in self._last[0].gangs} if self._last else ()

    def remembered_by(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with the last plan's results for its gangs. Reported starts come from the gangs' statuses."""
        snapshot = replace(snapshot, promises=self._promises)
        return snapshot if self._last is None else remembering(snapshot, *self._last)

    def forget(self) -> None:
        """Drop the last plan, since no gang waits."""
        self._last = None

    def record(self, snapshot: Snapshot, made: Plan) -> None:
        """Keep this plan as the last one."""
        self._last = snapshot, made
