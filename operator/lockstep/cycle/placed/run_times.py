"""How long gangs ran, to a fraction of a second: a status keeps whole seconds, and waits its turn."""

from coschedule import GangKey
from lockstep.act.requests.progress import Progress
from lockstep.facts.gang.gang import GangFact


class ObservedRunTimes:
    """When all members of each gang were first seen running, and ended."""

    def __init__(self) -> None:
        self._running_since: dict[GangKey, float] = {}
        self._ended_at: dict[GangKey, float] = {}

    def note(self, gang: GangKey, counts: Progress, now: float, *, has_succeeded: bool) -> None:
        """The gang's members were seen so."""
        if counts.is_running:
            self._running_since.setdefault(gang, now)
        if has_succeeded:
            self._ended_at.setdefault(gang, now)

    def running_since(self, gang: GangKey) -> float:
        """Since when all members run; somebody must have seen them."""
        return self._running_since[gang]

    def run_time(self, gang: GangFact) -> float | None:
        """How long all members ran, of a gang that has succeeded; nothing where nobody saw it run."""
        if gang.status.started_at is None:
            return None
        since = self._running_since.get(gang.key, gang.status.started_at)
        if since > gang.status.started_at + 1:
            # An earlier process saw it start: the status says when, to the second.
            since = gang.status.started_at
        return self._ended_at[gang.key] - since

    def forget(self, gang: GangKey) -> None:
        """The gang has ended, or does not run any more."""
        self._running_since.pop(gang, None)
        self._ended_at.pop(gang, None)
