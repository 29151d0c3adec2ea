"""The Workloads of Kueue that have quota, and the AdmissionChecks of Lockstep."""

from collections.abc import Collection, Iterable, Iterator, KeysView

from coschedule import GangKey
from lockstep.facts.gang.sized_owner import SizedOwner
from lockstep.facts.gang.source import Source
from lockstep.facts.gang.workload import AdmissionCheck, CheckState, StatedCheck, Workload


class Workloads:
    """Workloads by the Gangs that are made for them. Only Workloads with quota are kept: the others wait for Kueue."""

    def __init__(self) -> None:
        self._workloads: dict[GangKey, Workload] = {}
        self._checks: dict[str, AdmissionCheck] = {}

    def apply(self, workload: Workload) -> None:
        """Add or update a Workload, or remove it if it has no quota."""
        if workload.quota_since is None:
            self.remove(workload.gang, workload.uid)
        else:
            self._workloads[workload.gang] = workload

    def remove(self, gang: GangKey, uid: str) -> None:
        """Forget a Workload."""
        known = self._workloads.get(gang)
        if known is not None and known.uid == uid:
            del self._workloads[gang]

    def apply_check(self, check: AdmissionCheck) -> None:
        """Add or update an AdmissionCheck; checks of other controllers are not kept."""
        if check.is_ours:
            self._checks[check.name] = check
        else:
            self.remove_check(check.name)

    def remove_check(self, name: str) -> None:
        """Forget an AdmissionCheck."""
        self._checks.pop(name, None)

    @property
    def our_checks(self) -> KeysView[str]:
        """The names of the AdmissionChecks whose controller is Lockstep."""
        return self._checks.keys()

    def inactive_checks(self) -> Iterator[str]:
        """The names of Lockstep's checks whose status does not say that Lockstep runs."""
        return (name for name, check in self._checks.items() if not check.is_active)

    def gangs(self) -> KeysView[GangKey]:
        """The Gangs of the Workloads with quota."""
        return self._workloads.keys()

    def of(self, gang: GangKey) -> Workload | None:
        """The Workload with quota for which the Gang is made; None if there is none."""
        return self._workloads.get(gang)

    def is_admitted(self, gang: GangKey) -> bool:
        """Whether all of Lockstep's checks of the Gang's Workload are ready, so that its pods may be created."""
        known = self.of(gang)
        return known is not None and says(known, self.our_checks, CheckState.READY)

    def awaiting(self, gang: GangKey) -> Workload | None:
        """The Gang's Workload if it waits only for Lockstep's checks; None otherwise."""
        known = self.of(gang)
        return known if known is not None and is_pending(known, self.our_checks) else None

    def owner(self, gang: GangKey) -> SizedOwner | None:
        """The Workload in :meth:`awaiting`, as an owner of pods that do not exist yet; None if there is none."""
        known = self.awaiting(gang)
        if known is None:
            return None
        return SizedOwner(
            gang=gang,
            source=Source.WORKLOAD,
            name=known.name,
            uid=known.uid,
            resource_version=known.version,
            awaits_size=True,
            sizes=range(known.pods, known.pods + 1),
        )


def is_pending(workload: Workload, ours: Iterable[str]) -> bool:
    """Whether only Lockstep's checks of a Workload are not ready yet.

    Lockstep reserves places for the pods of such a Workload until the pods are created. It waits for the other checks
    first: if one of them took long, other gangs could not use the reserved places.
    """
    return are_last(workload.checks, ours)


def are_last(checks: Collection[StatedCheck], ours: Iterable[str]) -> bool:
    """Whether only Lockstep's checks among these are not ready yet."""
    names = set(ours)
    others = {one.state for one in checks if one.name not in names}
    open_ones = _states(checks, names) - {CheckState.READY}
    return open_ones == {CheckState.PENDING} and not others - {CheckState.READY}


def may_pass(checks: Collection[StatedCheck], ours: Iterable[str]) -> bool:
    """Whether Lockstep's checks are among these, and all checks are ready, or only Lockstep's are not ready yet."""
    are_ready = bool(_states(checks, ours)) and {one.state for one in checks} == {CheckState.READY}
    return are_ready or are_last(checks, ours)


def says(workload: Workload, ours: Iterable[str], state: CheckState) -> bool:
    """Whether the Workload has checks of Lockstep, and all of these are in that state."""
    return _states(workload.checks, ours) == {state}


def _states(checks: Collection[StatedCheck], ours: Iterable[str]) -> set[str]:
    names = set(ours)
    return {one.state for one in checks if one.name in names}
