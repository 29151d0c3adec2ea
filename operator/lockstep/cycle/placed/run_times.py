"""How long gangs ran, to a fraction of a second. Statuses keep whole seconds, and may be written late."""

from coschedule import GangKey
from lockstep.act.requests.progress import Progress
from lockstep.facts.gang.gang import GangFact


class ObservedRunTimes:
    """The times at which all members of each gang were first observed as running, and as succeeded."""

    def __init__(self) -> None:
        self._running_since: dict[GangKey, float] = {}
        self._ended_at: dict[GangKey, float] = {}

    def record(self, gang: GangKey, counts: Progress, now: float, *, has_succeeded: bool) -> None:
        """Record the observed state of the gang's members."""
        if counts.is_running:
            self._running_since.setdefault(gang, now)
        if has_succeeded:
            self._ended_at.setdefault(gang, now)

    def running_since(self, gang: GangKey) -> float:
        """The time since which all members run; raises KeyError if they were never observed as running."""
        return self._running_since[gang]

    def run_time(self, gang: GangFact) -> float | None:
        """The seconds for which all members of a succeeded gang ran; None if its status has no start."""
        if gang.status.started_at is None:
            return None
        since = self._running_since.get(gang.key, gang.status.started_at)
        if since > gang.status.started_at + 1:
            # Before a restart, the operator observed the start. The status has it in whole seconds.
            since = gang.status.started_at
        return self._ended_at[gang.key] - since

    def forget(self, gang: GangKey) -> None:
        """Drop a gang that has ended or no longer runs."""
        self._running_since.pop(gang, None)
        self._ended_at.pop(gang, None)
