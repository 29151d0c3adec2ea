"""What nodes offer: the bids, by node, as they count now.

Past ``expiresAt`` what was measured for a while lapses: the duty cycle, whether the owner is there, the forecast. What
a person has promised goes on counting, and the capacity: the hardware is the same as before. A bid that says no
capacity has that of its hardware, by what others say, expired or not.
"""

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView

from lockstep.api.versions import is_older
from lockstep.belief.common.changed_keys import News
from lockstep.belief.nodes.shared_capacities import Hardware, SharedCapacities
from lockstep.facts.cluster.node import BidCondition, BidFact, NodeFact, kind_of_node


class Bids(Mapping[str, BidFact]):
    """The bids of ``nodes`` that are there, as they count. ``changed`` is called where one may change a plan."""

    def __init__(self, nodes: Mapping[str, NodeFact], news: News, changed: Callable[[], None]) -> None:
        self._nodes = nodes
        self._news = news
        self._changed = changed
        self._by_node: dict[str, BidFact] = {}
        # The same as they are written.
        self._written: dict[str, BidFact] = {}
        self._capacities = SharedCapacities(unsettled=lambda: news.changed(needs_plan=False))

    def __getitem__(self, node: str) -> BidFact:
        return self._by_node[node]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_node)

    def __len__(self) -> int:
        return len(self._by_node)

    # What a mapping has anyway takes three times as long, and each cycle goes through all bids.

    def values(self) -> ValuesView[BidFact]:
        """The bids themselves."""
        return self._by_node.values()

    def items(self) -> ItemsView[str, BidFact]:
        """The bids by node."""
        return self._by_node.items()

    def known(self) -> Iterable[str]:
        """The nodes of all bids that are there."""
        return list(self._by_node)

    def version(self, node: str) -> str | None:
        """The version of that node's bid that is believed; None where there is none."""
        bid = self._by_node.get(node)
        return None if bid is None else bid.resource_version

    def apply(self, fact: BidFact) -> None:
        """A node's bid is there, or has changed; an older version than the known one is no news.

        A bid that only counts for longer changes no plan: every node may renew its own every second. One that has
        expired stays so until it is renewed.
        """
        before = self._by_node.get(fact.node)
        if before is not None and is_older(fact.resource_version, before.resource_version):
            return
        fact = self._share(fact)
        if fact != self._written.get(fact.node):
            self._written[fact.node] = fact
            self._note_whether_to_answer(fact)
            has_lapsed = before is not None and before.is_lapsed and before.expires_at == fact.expires_at
            self._count(fact.lapsed() if has_lapsed else fact)

    def remove(self, node: str) -> None:
        """A node's bid is gone: the node has the default one."""
        self._news.answered(node)
        self._written.pop(node, None)
        if self._by_node.pop(node, None) is not None:
            self._changed()
        self._capacities.note(node, None, None)

    def expire(self, now: float) -> None:
        """Let lapse what was measured by bids that were not renewed in time."""
        for bid in list(self.values()):
            if bid.has_expired(now) and not bid.is_lapsed:
                self._count(bid.lapsed())

    def settle(self, now: float) -> None:
        """Have bids that say no capacity share what was measured on others, where that may change by now."""
        self._share_anew(self._capacities.settle(now))

    def note_whom_to_answer(self) -> None:
        """Note every bid whose owner has something to be told."""
        for bid in self._written.values():
            self._note_whether_to_answer(bid)

    def note_node(self, node: str) -> None:
        """A node of that name has come, has changed, or is gone."""
        bid = self._written.get(node)
        if bid is not None:
            self._note_whether_to_answer(bid)
            self._note_hardware(bid)
            self._share_anew([node])

    def answer(self, node: str) -> BidCondition | None:
        """The condition that the bid of that node should have; None where it needs none, or where there is no bid."""
        bid = self._written.get(node)
        return None if bid is None else bid.answer(has_node=node in self._nodes)

    def next_end(self) -> float | None:
        """The earliest time at which what a bid measured lapses."""
        ends = (bid.expires_at for bid in self.values() if not bid.is_lapsed)
        return min((end for end in ends if end is not None), default=None)

    def next_settling(self) -> float:
        """When there is something to settle that can't be yet; infinity where there is nothing."""
        return self._capacities.next_due()

    def _count(self, bid: BidFact) -> None:
        """From now on the bid counts so."""
        before = self._by_node.get(bid.node)
        self._by_node[bid.node] = bid
        if before is None or not bid.renews(before):
            self._changed()

    def _share(self, fact: BidFact) -> BidFact:
        """Return the bid with what is shared on its hardware, and note what it says of that."""
        self._note_hardware(fact)
        return self._sharing(fact)

    def _note_hardware(self, fact: BidFact) -> None:
        report, kind = fact.report, kind_of_node(self._nodes.get(fact.node))
        if report is None:
            self._capacities.note(fact.node, None, None)
        else:
            self._capacities.note(fact.node, Hardware(report.processor, kind), report.capacity)

    def _share_anew(self, nodes: Iterable[str]) -> None:
        """What these nodes share may have changed."""
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

    def _note_whether_to_answer(self, bid: BidFact) -> None:
        """Its owner is told why it does not count, and that it counts again; else of nothing."""
        if self.answer(bid.node) == bid.reported:
            self._news.answered(bid.node)
        else:
            self._news.answer(bid.node)
