"""The sweeps and the GangJobs of their runs: which run has a GangJob, and which sweeps must be reconciled."""

from collections.abc import Callable, Mapping

from coschedule import GangKey
from lockstep.api.versions import is_older
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.runs.sweep_run import SweepRun
from lockstep.facts.sweeps.sweep import Sweep

_NONE: Mapping[int, GangKey] = {}


class Sweeps:
    """The newest fact of each sweep, and the GangJobs of its runs by their numbers.

    After :meth:`follow`, ``wake`` is called after each change, and ``changed`` has the sweeps to reconcile. ``seen`` is
    called with each sweep that is new, changed or gone.
    """

    def __init__(self, seen: Callable[[GangKey], None]) -> None:
        self._seen = seen
        self.objects: dict[GangKey, Sweep] = {}
        self.changed: set[GangKey] = set()
        self._run_of: dict[GangKey, SweepRun] = {}
        self._runs: dict[tuple[GangKey, str], dict[int, GangKey]] = {}
        self._wake: Callable[[], None] | None = None

    def follow(self, wake: Callable[[], None]) -> None:
        """Keep changes from now on, beginning with all sweeps."""
        self._wake = wake
        self._change(*self.objects)

    @property
    def are_followed(self) -> bool:
        """Whether the operator reconciles sweeps: their changes are kept."""
        return self._wake is not None

    def apply(self, sweep: Sweep) -> None:
        """Add or update a sweep; a version older than the cached one changes nothing."""
        before = self.objects.get(sweep.key)
        is_same = before is not None and before.uid == sweep.uid
        if is_same and before is not None and is_older(sweep.resource_version, before.resource_version):
            return
        self.objects[sweep.key] = sweep
        self._seen(sweep.key)
        self._change(sweep.key)

    def remove(self, key: GangKey, uid: str) -> None:
        """Remove a sweep. The API server deletes its GangJobs."""
        known = self.objects.get(key)
        if known is not None and known.uid == uid:
            del self.objects[key]
            self._seen(key)
            self._change(key)

    def runs_of(self, sweep: Sweep) -> Mapping[int, GangKey]:
        """The GangJobs of the sweep by the numbers of their runs."""
        return self._runs.get((sweep.key, sweep.uid), _NONE)

    def gang_applied(self, gang: GangFact) -> None:
        """Add or update a GangJob. A GangJob without its owner reference to a sweep is no run any more."""
        before = self._run_of.get(gang.key)
        if before is not None and before != gang.run:
            self._forget(gang.key, before)
        if gang.run is not None:
            self._run_of[gang.key] = gang.run
            self._runs.setdefault((gang.run.sweep, gang.run.sweep_uid), {})[gang.run.number] = gang.key
            self._change(gang.run.sweep)

    def gang_removed(self, gang: GangFact) -> None:
        """Remove a GangJob that is gone."""
        run = self._run_of.get(gang.key)
        if run is not None:
            self._forget(gang.key, run)

    def _forget(self, key: GangKey, run: SweepRun) -> None:
        del self._run_of[key]
        # The UID alone is not enough: GangJobs of other namespaces may name it too.
        identity = run.sweep, run.sweep_uid
        runs = self._runs.get(identity, {})
        if runs.get(run.number) == key:
            del runs[run.number]
        if not runs:
            self._runs.pop(identity, None)
        self._change(run.sweep)

    def _change(self, *sweeps: GangKey) -> None:
        if self._wake is not None:
            self.changed.update(sweeps)
            self._wake()
