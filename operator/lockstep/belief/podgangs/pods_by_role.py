"""The pods of a Gang by the role that they name, counted as they come and go. A role without pods has no entry."""

from bisect import bisect_left, insort
from collections.abc import Iterable

NO_ROLE = ""


class PodsByRole:
    """The number of pods that name each role."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def count(self, role: str, sign: int) -> None:
        """Count one pod more, or one less."""
        number = self._counts.pop(role, 0) + sign
        if number:
            self._counts[role] = number

    def of(self, roles: Iterable[str]) -> dict[str, int]:
        """The number of pods that name each of these roles; roles without pods are left out."""
        return {role: self._counts[role] for role in roles if role in self._counts}


class CreatedByRole:
    """When the waiting pods were created, by the role that they name."""

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
        """When the first ``least`` pods of the role had been created; None if there are fewer, or ``least`` is 0."""
        times = self._created.get(role, ())
        return times[least - 1] if 0 < least <= len(times) else None
