"""Nodes share what was measured on others with the same processor, until they are measured themselves."""

from dataclasses import replace
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.facts import bid_fact, bid_report
from lockstep.belief.bids import Bids
from lockstep.belief.news import News
from lockstep.facts.node import SharedCapacity

EPYC, XEON = "EPYC 9, Python 3.11", "Xeon 5, Python 3.11"


class Belief:
    """Bids, and how often one changed a plan."""

    def __init__(self, *facts):
        self.changes = 0
        self.bids = Bids((), News(lambda: None), self._changed)
        for fact in facts:
            self.bids.apply(fact)

    def _changed(self):
        self.changes += 1

    def slowdowns(self):
        return {node: bid.slowdown for node, bid in self.bids.items()}


def bid_of(node, capacity=None, *, processor=EPYC, says=None, version="1", duty=0.0, expires=None):
    """A bid as it is read: an agent measured ``capacity``, and the spec has it, or what a person ``says``."""
    said = says or capacity
    return bid_fact(
        node,
        version=version,
        slowdown=(1 + duty) / (said or 1),
        duty_cycle=duty,
        says_capacity=said is not None,
        expires=expires,
        report=bid_report(processor=processor, capacity=capacity),
    )


def test_node_that_is_not_measured_yet_has_the_median_of_its_processor():
    belief = Belief(bid_of("new", duty=0.5), bid_of("a", 1.5), bid_of("b", 2.0), bid_of("c", 9.0))

    assert belief.bids["new"].shared == SharedCapacity(2.0, 3)
    assert belief.slowdowns()["new"] == 1.5 / 2.0


def test_node_with_another_processor_shares_nothing():
    belief = Belief(bid_of("a", 2.0), bid_of("other", processor=XEON), bid_of("unknown", processor=""))

    assert belief.slowdowns() == {"a": 0.5, "other": 1.0, "unknown": 1.0}


def test_nodes_of_unknown_processors_are_not_alike():
    belief = Belief(bid_of("a", 2.0, processor=""), bid_of("b", processor=""), bid_fact("hand", says_capacity=False))

    assert (belief.slowdowns()["b"], belief.slowdowns()["hand"]) == (1.0, 1.0)


def test_what_a_person_says_stays_and_is_not_shared():
    belief = Belief(bid_of("set", says=4.0), bid_of("a", 2.0, says=8.0), bid_of("new"))

    assert belief.slowdowns() == {"set": 0.25, "a": 0.125, "new": 0.5}


def test_capacity_that_is_measured_at_last_takes_the_place_of_the_shared_one():
    belief = Belief(bid_of("a", 2.0), bid_of("new"))

    belief.bids.apply(bid_of("new", 1.6, version="2"))

    assert (belief.bids["new"].shared, belief.slowdowns()["new"]) == (None, 1 / 1.6)


def test_news_of_a_processor_changes_the_plan_where_others_share_it():
    belief = Belief(bid_of("a", 2.0), bid_of("new"))
    before = belief.changes

    belief.bids.apply(bid_of("a", 2.0, version="2"))
    assert belief.changes == before, "nothing new"

    belief.bids.apply(bid_of("b", 3.0, processor=XEON))
    assert (belief.changes, belief.slowdowns()["new"]) == (before + 1, 0.5)

    belief.bids.apply(bid_of("c", 3.0))
    assert belief.slowdowns()["new"] == 1 / 2.5


def test_bid_that_has_expired_still_says_how_fast_its_processor_is():
    belief = Belief(bid_of("a", 2.0, expires=10.0), bid_of("new"))

    belief.bids.expire(10.0)
    assert belief.slowdowns() == {"new": 0.5}

    belief.bids.remove("a")
    assert belief.slowdowns() == {"new": 1.0}


@pytest.mark.parametrize(("lie", "want"), [(1000.0, 10.0), (0.001, 0.1)])
def test_only_measurement_there_is_is_believed_within_bounds(lie, want):
    assert Belief(bid_of("liar", lie), bid_of("new")).bids["new"].shared == SharedCapacity(want, 1)


def test_lie_of_one_moves_the_others_no_further_than_to_their_neighbours():
    honest = [bid_of(f"n{number}", 1 + number / 10) for number in range(5)]

    belief = Belief(*honest, bid_of("liar", 1000.0), bid_of("new"))

    assert belief.bids["new"].shared.capacity == 1.25


def test_many_nodes_are_not_counted_to_the_last():
    belief = Belief(*(bid_of(f"n{number}", 2.0) for number in range(12)), bid_of("new"))

    assert belief.bids["new"].shared == SharedCapacity(2.0, 10)


nodes = st.sampled_from(["a", "b", "c", "d"])
capacities = st.none() | st.floats(0.001, 1000)
applied = st.builds(
    lambda node, capacity, processor, says, duty, expires: bid_of(
        node, capacity, processor=processor, says=says, duty=duty, expires=expires
    ),
    nodes,
    capacities,
    st.sampled_from([EPYC, XEON, ""]),
    st.none() | st.just(3.0),
    st.floats(0, 1000),
    st.sampled_from([None, 10.0, 20.0]),
)
steps = st.lists(applied | st.tuples(st.sampled_from(["remove"]), nodes) | st.sampled_from([10.0, 20.0]), max_size=30)


@given(steps)
def test_any_history_ends_where_the_bids_that_are_there_would_begin(history):
    belief, there = Belief(), {}
    for number, step in enumerate(history):
        match step:
            case ("remove", node):
                belief.bids.remove(node)
                there.pop(node, None)
            case float():
                belief.bids.expire(step)
            case bid:
                seen = replace(bid, resource_version=str(number))
                belief.bids.apply(seen)
                there[bid.node] = seen

    for bid in [*belief.bids.values(), *belief.bids.expired.values()]:
        assert bid.slowdown == pytest.approx(want_slowdown(there[bid.node], there.values()))


def want_slowdown(bid, there):
    """The rule, from nothing but the bids that are there."""
    if bid.says_capacity or not bid.report.processor:
        return bid.slowdown
    known = [
        one.report.capacity
        for one in there
        if one.report.processor == bid.report.processor and one.report.capacity is not None
    ]
    capacity = round(min(max(median(known), 0.1), 10.0), 2) if known else 1.0
    return (1 + bid.duty_cycle) / capacity
