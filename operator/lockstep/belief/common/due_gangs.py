"""Gangs that follow one change all together, such as a change of an AdmissionCheck."""

from collections.abc import Callable, Generator, Iterable

from coschedule import GangKey
from lockstep.belief.common.changed_keys import ChangedKeys


class DueGangs:
    """The gangs that ``follow`` is still to be called with. Tenants create them, so the cycle calls it in steps."""

    def __init__(self, follow: Callable[[GangKey], None], changes: ChangedKeys) -> None:
        self._follow = follow
        self._changes = changes
        # An ordered set.
        self._gangs: dict[GangKey, None] = {}

    def add(self, gangs: Iterable[GangKey]) -> None:
        """Have these gangs followed in the next cycle."""
        self._gangs.update(dict.fromkeys(gangs))
        self._changes.changed(needs_plan=False)

    def discard(self, gang: GangKey) -> None:
        """The gang is followed already."""
        self._gangs.pop(gang, None)

    def following(self) -> Generator[None, None, None]:
        """Follow the gangs, one in each step: their specs may be large."""
        while self._gangs:
            gang, _ = self._gangs.popitem()
            self._follow(gang)
            yield
