"""The NodeBids by node, without measured values that have expired.

After ``expiresAt``, measured values no longer count: duty cycle, presence of the node owner, forecast. Times and slots
still count, since a person sets them. The capacity still counts too, since the hardware is the same. A bid without a
capacity, expired or not, gets the shared capacity of nodes with the same hardware.
"""

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView

from lockstep.api.versions import is_older
from lockstep.belief.common.changed_keys import ChangedKeys
from lockstep.belief.nodes.shared_capacities import Hardware, SharedCapacities
from lockstep.facts.cluster.node import BidCondition, BidFact, NodeFact, kind_of_node


class Bids(Mapping[str, BidFact]):
    """The bids of ``nodes``, in the form that counts now. ``changed`` is called when a bid may change a plan."""

    def __init__(self, nodes: Mapping[str, NodeFact], changes: ChangedKeys, changed: Callable[[], None]) -> None:
        self._nodes = nodes
        self._changes = changes
        self._changed = changed
        self._by_node: dict[str, BidFact] = {}
        # The same bids as they were written, with values that have expired.
        self._written: dict[str, BidFact] = {}
        self._capacities = SharedCapacities(outdated=lambda: changes.record_change(needs_plan=False))

    def __getitem__(self, node: str) -> BidFact:
        return self._by_node[node]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_node)

    def __len__(self) -> int:
        return len(self._by_node)

    # The inherited methods take three times as long, and each cycle reads all bids.

    def values(self) -> ValuesView[BidFact]:
        """The bids."""
        return self._by_node.values()

    def items(self) -> ItemsView[str, BidFact]:
        """The bids by node."""
        return self._by_node.items()

    def known(self) -> Iterable[str]:
        """The nodes of all bids."""
        return list(self._by_node)

    def version(self, node: str) -> str | None:
        """The version of that node's bid in the cache; None if there is no bid."""
        bid = self._by_node.get(node)
        return None if bid is None else bid.resource_version

    def apply(self, fact: BidFact) -> None:
        """Add or update a node's bid; a version older than the cached one changes nothing.

        If only ``expiresAt`` is later, no plan is needed: every node may renew its bid every second. An expired bid
        stays expired until it is renewed.
        """
        before = self._by_node.get(fact.node)
        if before is not None and is_older(fact.resource_version, before.resource_version):
            return
        fact = self._share(fact)
        if fact != self._written.get(fact.node):
            self._written[fact.node] = fact
            self._request_condition(fact)
            has_lapsed = before is not None and before.is_lapsed and before.expires_at == fact.expires_at
            self._use(fact.lapsed() if has_lapsed else fact)

    def remove(self, node: str) -> None:
        """Remove a node's bid: the node then has the default one."""
        self._changes.bid_reported(node)
        self._written.pop(node, None)
        if self._by_node.pop(node, None) is not None:
            self._changed()
        self._capacities.record(node, None, None)

    def expire(self, now: float) -> None:
        """Drop the measured values of bids that were not renewed in time."""
        for bid in list(self.values()):
            if bid.has_expired(now) and not bid.is_lapsed:
                self._use(bid.lapsed())

    def update_shared(self, now: float) -> None:
        """Update the shared capacities that are due, in all bids that use them."""
        self._share_anew(self._capacities.update(now))

    def request_conditions(self) -> None:
        """Request a write for every bid whose condition must be written."""
        for bid in self._written.values():
            self._request_condition(bid)

    def node_changed(self, node: str) -> None:
        """Update the bid of a node that was added, changed or removed."""
        bid = self._written.get(node)
        if bid is not None:
            self._request_condition(bid)
            self._record_hardware(bid)
            self._share_anew([node])

    def wanted_condition(self, node: str) -> BidCondition | None:
        """The condition that the bid of that node should have; None if it needs none, or if there is no bid."""
        bid = self._written.get(node)
        return None if bid is None else bid.wanted_condition(has_node=node in self._nodes)

    def next_end(self) -> float | None:
        """The earliest time at which a bid's measured values expire; None if none will expire."""
        ends = (bid.expires_at for bid in self.values() if not bid.is_lapsed)
        return min((end for end in ends if end is not None), default=None)

    def next_shared_update(self) -> float:
        """When a shared capacity may be updated next; infinity if no update waits."""
        return self._capacities.next_due()

    def _use(self, bid: BidFact) -> None:
        """Use the bid in this form from now on. Call ``changed``, unless the bid only renews the earlier one."""
        before = self._by_node.get(bid.node)
        self._by_node[bid.node] = bid
        if before is None or not bid.renews(before):
            self._changed()

    def _share(self, fact: BidFact) -> BidFact:
        """Record the bid's hardware, and return the bid with the capacity that nodes of this hardware share."""
        self._record_hardware(fact)
        return self._sharing(fact)

    def _record_hardware(self, fact: BidFact) -> None:
        report, kind = fact.report, kind_of_node(self._nodes.get(fact.node))
        if report is None:
            self._capacities.record(fact.node, None, None)
        else:
            self._capacities.record(fact.node, Hardware(report.processor, kind), report.capacity)

    def _share_anew(self, nodes: Iterable[str]) -> None:
        """Update the shared capacity of these nodes' bids."""
        has_changed = False
        for node in nodes:
            self._written[node] = self._sharing(self._written[node])
            before = self._by_node[node]
            self._by_node[node] = self._sharing(before)
            has_changed |= self._by_node[node] is not before
        if has_changed:
            self._changed()

    def _sharing(self, fact: BidFact) -> BidFact:
        return fact.sharing(self._capacities.of(fact.node))

    def _request_condition(self, bid: BidFact) -> None:
        """Request a write if the bid's condition is out of date; otherwise withdraw the request."""
        if self.wanted_condition(bid.node) == bid.reported:
            self._changes.bid_reported(bid.node)
        else:
            self._changes.report_bid(bid.node)
