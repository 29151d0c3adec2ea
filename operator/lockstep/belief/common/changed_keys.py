"""The changes of the cache that the cycle has not processed yet: its work queue."""

from collections.abc import Callable

from coschedule import GangKey


class ChangedKeys:
    """Gangs to reconcile, bids whose condition must be written, and whether a plan is due.

    ``wake`` is called after each change for which a cycle must run. ``generation`` counts all changes of the cache. The
    caller reports what it processes: :meth:`reconciling`, :meth:`bid_reported`, :meth:`begin_plan`.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._gangs: set[GangKey] = set()
        self._bids: set[str] = set()
        self._is_plan_due = False
        self._is_followed = True
        self.generation = 0

    def stand_by(self) -> None:
        """Drop all gangs and bids. Until :meth:`follow`, changes of the cache add none and do not call ``wake``."""
        self._is_followed = False
        self._gangs.clear()
        self._bids.clear()

    def follow(self) -> None:
        """Record gangs and bids again. The caller has to add those that have changed since :meth:`stand_by`."""
        self._is_followed = True

    @property
    def gangs(self) -> frozenset[GangKey]:
        """The gangs to reconcile."""
        return frozenset(self._gangs)

    @property
    def bids(self) -> frozenset[str]:
        """The nodes of the bids whose condition must be written."""
        return frozenset(self._bids)

    @property
    def is_plan_due(self) -> bool:
        """Whether a change since the last plan began may lead to another plan."""
        return self._is_plan_due

    def reconcile(self, *gangs: GangKey) -> None:
        """Add gangs to reconcile."""
        if self._is_followed:
            self._gangs.update(gangs)
            self._wake()

    def reconcile_later(self, gang: GangKey) -> None:
        """Add a gang to reconcile, without a call of ``wake``: the caller chooses the time."""
        self._gangs.add(gang)

    def reconciling(self, gang: GangKey) -> None:
        """Remove a gang that is being reconciled: later changes add it again."""
        self._gangs.discard(gang)

    def plan(self) -> None:
        """Request another plan."""
        self._is_plan_due = True
        self._wake()

    def begin_plan(self) -> bool:
        """Record that a plan begins now. Returns whether a change had requested it."""
        was_due, self._is_plan_due = self._is_plan_due, False
        return was_due

    def record_change(self, *, needs_plan: bool) -> None:
        """Count a change of the cache, and request a plan if the change needs one."""
        self.generation += 1
        self._is_plan_due |= needs_plan
        if self._is_followed:
            self._wake()

    def record_change_for_plan(self) -> None:
        """Count a change of the cache, and request a plan, since the change may lead to another plan."""
        self.record_change(needs_plan=True)

    def record_own_change(self) -> None:
        """Count a change that this process has decided itself: nothing else follows from it."""
        self.generation += 1

    def report_bid(self, node: str) -> None:
        """Add a bid whose condition must be written."""
        if self._is_followed:
            self._bids.add(node)

    def bid_reported(self, node: str) -> None:
        """Remove a bid whose condition is written, or needs no write."""
        self._bids.discard(node)
