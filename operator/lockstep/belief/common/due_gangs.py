"""Gangs that one change affects together, such as a change of an AdmissionCheck."""

from collections.abc import Callable, Generator, Iterable

from coschedule import GangKey
from lockstep.belief.common.changed_keys import ChangedKeys


class DueGangs:
    """The gangs for which the function ``follow`` must still be called.

    Tenants can create many gangs, so the cycle makes these calls in steps.
    """

    def __init__(self, follow: Callable[[GangKey], None], changes: ChangedKeys) -> None:
        self._follow = follow
        self._changes = changes
        # An ordered set.
        self._gangs: dict[GangKey, None] = {}

    def add(self, gangs: Iterable[GangKey]) -> None:
        """Add gangs: the next cycle calls ``follow`` for them."""
        self._gangs.update(dict.fromkeys(gangs))
        self._changes.record_change(needs_plan=False)

    def discard(self, gang: GangKey) -> None:
        """Remove a gang for which ``follow`` was called already."""
        self._gangs.pop(gang, None)

    def following_due(self) -> Generator[None, None, None]:
        """Call ``follow`` for all gangs, one in each step: their specs may be large."""
        while self._gangs:
            gang, _ = self._gangs.popitem()
            self._follow(gang)
            yield
