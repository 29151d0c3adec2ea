"""Room that is kept for gangs that change their size, until their next attempt is reserved."""

from collections.abc import Iterator

from coschedule import GangKey
from lockstep.belief.holding.ledger import Ledger
from lockstep.belief.holding.reservation import Reservation


class NextSizes:
    """The next sizes of gangs. Their members count on their nodes, beside the members that are being ended.

    A next size that this process has decided counts before the status has it. ``changes`` counts how often room was
    taken or released.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.changes = 0
        self._ledger = ledger
        self._held: dict[GangKey, Reservation] = {}
        self._by_namespace: dict[str, set[GangKey]] = {}
        self._decided: set[GangKey] = set()
        self._by_node: dict[str, set[GangKey]] = {}

    def __contains__(self, gang: GangKey) -> bool:
        return gang in self._held

    def __iter__(self) -> Iterator[Reservation]:
        return iter(self._held.values())

    def of(self, gang: GangKey) -> Reservation | None:
        """The reservation of the gang at its next size; None if its size does not change."""
        return self._held.get(gang)

    def on(self, node: str) -> frozenset[GangKey]:
        """The gangs whose next size has members on that node."""
        return frozenset(self._by_node.get(node, ()))

    def in_namespace(self, namespace: str) -> frozenset[GangKey]:
        """The gangs of a namespace that have a next size."""
        return frozenset(self._by_namespace.get(namespace, ()))

    def decide(self, following: Reservation) -> None:
        """Keep the room for a next size that is about to be written."""
        self._hold(following)
        self._decided.add(following.gang)

    def read_status(self, gang: GangKey, following: Reservation | None) -> None:
        """Keep the room for the next size in the gang's status; None if the status has none."""
        if following is not None:
            self._decided.discard(gang)
            self._hold(following)
        elif gang not in self._decided:
            self.forget(gang)

    def forget_decided(self, gang: GangKey) -> None:
        """Forget a next size that was decided and that no status has."""
        if gang in self._decided:
            self.forget(gang)

    def forget(self, gang: GangKey) -> None:
        """Keep no room for the gang any more."""
        self._decided.discard(gang)
        self._release(gang)

    def _hold(self, following: Reservation) -> None:
        known = self._held.get(following.gang)
        if known is not None and known.members == following.members and known.requests == following.requests:
            self._held[following.gang] = following
            return
        self._release(following.gang)
        self.changes += 1
        self._held[following.gang] = following
        self._by_namespace.setdefault(following.gang.namespace, set()).add(following.gang)
        for rank, role, node, _ in following.by_rank():
            self._ledger.assume(following.membership(rank), node, following.requests[role])
            self._by_node.setdefault(node, set()).add(following.gang)

    def _release(self, gang: GangKey) -> None:
        known = self._held.pop(gang, None)
        if known is None:
            return
        self.changes += 1
        for member in known.memberships():
            self._ledger.forget(member)
        _discard(self._by_namespace, gang.namespace, gang)
        for node in {entry.node for entry in known.members}:
            _discard(self._by_node, node, gang)


def _discard(index: dict[str, set[GangKey]], name: str, gang: GangKey) -> None:
    """Remove a gang from the set of this name, and the set if it is empty."""
    index[name].discard(gang)
    if not index[name]:
        del index[name]
