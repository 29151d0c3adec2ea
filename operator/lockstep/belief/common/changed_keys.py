"""What has changed in belief and nobody has dealt with yet."""

from collections.abc import Callable

from coschedule import GangKey


class News:
    """Gangs to look at, bids to answer, and whether to plan. ``wake`` is called after each change.

    Whoever deals with one says so: :meth:`looked_at`, :meth:`answered`, :meth:`begin_plan`.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._gangs: set[GangKey] = set()
        self._bids: set[str] = set()
        self._is_plan_due = False
        self._is_followed = True

    def stand_by(self) -> None:
        """Nobody deals with news from now on: none is kept, and nobody is woken."""
        self._is_followed = False
        self._gangs.clear()
        self._bids.clear()

    def follow(self) -> None:
        """Somebody deals with news again; what is news then, others say."""
        self._is_followed = True

    @property
    def gangs(self) -> frozenset[GangKey]:
        """The gangs of which there is news."""
        return frozenset(self._gangs)

    @property
    def bids(self) -> frozenset[str]:
        """The nodes of the bids whose owners have something to be told."""
        return frozenset(self._bids)

    @property
    def is_plan_due(self) -> bool:
        """Whether something has changed since the last plan began that may lead to another one."""
        return self._is_plan_due

    def look_at(self, *gangs: GangKey) -> None:
        """There is something to see at these gangs."""
        if self._is_followed:
            self._gangs.update(gangs)
            self._wake()

    def look_later(self, gang: GangKey) -> None:
        """There is still something to see at that gang; whoever says so knows when, and nobody is woken."""
        self._gangs.add(gang)

    def looked_at(self, gang: GangKey) -> None:
        """Somebody looks at that gang now: what comes from here on is news again."""
        self._gangs.discard(gang)

    def plan(self) -> None:
        """Another plan is due."""
        self._is_plan_due = True
        self._wake()

    def begin_plan(self) -> bool:
        """A plan begins now; returns whether it was due for news."""
        was_due, self._is_plan_due = self._is_plan_due, False
        return was_due

    def changed(self, *, needs_plan: bool) -> None:
        """Belief has changed."""
        self._is_plan_due |= needs_plan
        if self._is_followed:
            self._wake()

    def answer(self, node: str) -> None:
        """The owner of that node's bid has something to be told."""
        if self._is_followed:
            self._bids.add(node)

    def answered(self, node: str) -> None:
        """The owner of that node's bid has been told, or there is nothing to tell any more."""
        self._bids.discard(node)
