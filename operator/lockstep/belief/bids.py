"""What nodes offer: the bids that count now, by node.

A bid that says no capacity has that of its hardware, also where another bid says it that has expired: the hardware is
the same as before.
"""

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView

from lockstep.api.versions import is_older
from lockstep.belief.news import News
from lockstep.belief.shared_capacities import Hardware, SharedCapacities
from lockstep.facts.node import BidCondition, BidFact, NodeFact, kind_of_node


class Bids(Mapping[str, BidFact]):
    """The bids of ``nodes`` that are there and have not expired. ``changed`` is called where one may change a plan."""

    def __init__(self, nodes: Mapping[str, NodeFact], news: News, changed: Callable[[], None]) -> None:
        self._nodes = nodes
        self._news = news
        self._changed = changed
        self._by_node: dict[str, BidFact] = {}
        self._expired: dict[str, BidFact] = {}
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

    @property
    def expired(self) -> Mapping[str, BidFact]:
        """The bids that are there and were not renewed in time, by node."""
        return self._expired

    def known(self) -> Iterable[str]:
        """The nodes of all bids that are there."""
        return [*self._by_node, *self._expired]

    def version(self, node: str) -> str | None:
        """The version of that node's bid that is believed, expired or not; None where there is none."""
        bid = self._by_node.get(node) or self._expired.get(node)
        return None if bid is None else bid.resource_version

    def apply(self, fact: BidFact) -> None:
        """A node's bid is there, or has changed; an older version than the known one is no news.

        A bid that only counts for longer changes no plan: every node may renew its own every second. Nor does one that
        has expired, as long as it is not renewed.
        """
        gone = self._expired.pop(fact.node, None)
        if gone is not None and gone.expires_at == fact.expires_at:
            self._expired[fact.node] = self._share(fact)
            return
        before = self._by_node.get(fact.node)
        if before and is_older(fact.resource_version, before.resource_version):
            return
        fact = self._share(fact)
        if before != fact:
            self._by_node[fact.node] = fact
            self._note_whether_to_answer(fact)
            if before is None or not fact.renews(before):
                self._changed()

    def remove(self, node: str) -> None:
        """A node's bid is gone: the node has the default one."""
        self._expired.pop(node, None)
        self._drop(node)
        self._capacities.note(node, None, None)

    def expire(self, now: float) -> None:
        """Drop the bids that were not renewed in time."""
        for bid in list(self.values()):
            if bid.has_expired(now):
                self._drop(bid.node)
                self._expired[bid.node] = bid

    def settle(self, now: float) -> None:
        """Have bids that say no capacity share what was measured on others, where that may change by now."""
        self._share_anew(self._capacities.settle(now))

    def note_whom_to_answer(self) -> None:
        """Note every bid whose owner has something to be told."""
        for bid in self.values():
            self._note_whether_to_answer(bid)

    def note_node(self, node: str) -> None:
        """A node of that name has come, has changed, or is gone."""
        bid = self._by_node.get(node)
        if bid is not None:
            self._note_whether_to_answer(bid)
        known = bid or self._expired.get(node)
        if known is not None:
            self._note_hardware(known)
            self._share_anew([node])

    def answer(self, bid: BidFact) -> BidCondition | None:
        """What the bid's owner should have been told; None where that is nothing."""
        return bid.answer(has_node=bid.node in self._nodes)

    def next_end(self) -> float | None:
        """The earliest time at which a bid no longer counts."""
        return min((bid.expires_at for bid in self.values() if bid.expires_at is not None), default=None)

    def next_settling(self) -> float:
        """When there is something to settle that can't be yet; infinity where there is nothing."""
        return self._capacities.next_due()

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
            bids = self._by_node if node in self._by_node else self._expired
            before = bids[node]
            bids[node] = self._sharing(before)
            has_changed |= bids is self._by_node and bids[node] is not before
        if has_changed:
            self._changed()

    def _sharing(self, fact: BidFact) -> BidFact:
        return fact.sharing(self._capacities.of(fact.node))

    def _drop(self, node: str) -> None:
        self._news.answered(node)
        if self._by_node.pop(node, None) is not None:
            self._changed()

    def _note_whether_to_answer(self, bid: BidFact) -> None:
        """Its owner is told why it does not count, and that it counts again; else of nothing."""
        if self.answer(bid) == bid.told:
            self._news.answered(bid.node)
        else:
            self._news.answer(bid.node)
