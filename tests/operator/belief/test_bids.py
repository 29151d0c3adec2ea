"""Bids that were not renewed in time: they no longer count, and are known as long as they are there."""

from builders.facts import bid_fact, node_fact
from lockstep.belief.bids import Bids
from lockstep.belief.news import News


class Belief:
    """Bids, and how often one changed a plan."""

    def __init__(self, *facts):
        self.changes = 0
        self.bids = Bids({name: node_fact(name) for name in ("n1", "n2")}, News(lambda: None), self._changed)
        for fact in facts:
            self.bids.apply(fact)

    def _changed(self):
        self.changes += 1


def test_expired_bid_no_longer_counts_and_is_still_known():
    belief = Belief(bid_fact("n1", expires=10.0), bid_fact("n2"))

    belief.bids.expire(10.0)

    assert [*belief.bids] == ["n2"]
    assert [*belief.bids.expired] == ["n1"]
    assert sorted(belief.bids.known()) == ["n1", "n2"]
    assert (belief.bids.version("n1"), belief.bids.version("n2"), belief.bids.version("n3")) == ("1", "1", None)


def test_expired_bid_that_is_seen_again_changes_no_plan():
    belief = Belief(bid_fact("n1", expires=10.0))
    belief.bids.expire(10.0)
    before = belief.changes

    belief.bids.apply(bid_fact("n1", expires=10.0, version="2"))

    assert (belief.changes, belief.bids.version("n1"), [*belief.bids]) == (before, "2", [])


def test_expired_bid_that_is_renewed_counts_again():
    belief = Belief(bid_fact("n1", expires=10.0))
    belief.bids.expire(10.0)

    belief.bids.apply(bid_fact("n1", expires=20.0, version="2"))

    assert ([*belief.bids], [*belief.bids.expired]) == (["n1"], [])


def test_expired_bid_that_is_deleted_is_forgotten():
    belief = Belief(bid_fact("n1", expires=10.0))
    belief.bids.expire(10.0)

    belief.bids.remove("n1")

    assert [*belief.bids.known()] == []
