"""The pods of a Gang by the role that they say, counted as they come and go. Nothing is kept of roles without pods."""

from bisect import bisect_left, insort
from collections.abc import Iterable

NO_ROLE = ""


class PodsByRole:
    """How many pods say each role."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def count(self, role: str, sign: int) -> None:
        """Count one pod more, or one less."""
        number = self._counts.pop(role, 0) + sign
        if number:
            self._counts[role] = number

    def of(self, roles: Iterable[str]) -> dict[str, int]:
        """How many pods say these roles; those that none says are left out."""
        return {role: self._counts[role] for role in roles if role in self._counts}


class CreatedByRole:
    """When the pods that wait were created, by the role that they say."""

    def __init__(self) -> None:
        self._created: dict[str, list[float]] = {}

    def enter(self, role: str, created: float) -> None:
        """Add a pod."""
        insort(self._created.setdefault(role, []), created)

    def leave(self, role: str, created: float) -> None:
        """Remove a pod that was added."""
        times = self._created[role]
        del times[bisect_left(times, created)]
        if not times:
            del self._created[role]

    def complete_since(self, role: str, least: int) -> float | None:
        """When so many pods of the role had been created; None if they are fewer."""
        times = self._created.get(role, ())
        return times[least - 1] if 0 < least <= len(times) else None
