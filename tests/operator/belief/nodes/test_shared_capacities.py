"""Nodes share what was measured on others of the same hardware, until they are measured themselves."""

import math
from dataclasses import replace
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.facts import bid_fact, bid_report, node_fact
from lockstep.belief.common.changed_keys import ChangedKeys
from lockstep.belief.nodes.bids import Bids
from lockstep.belief.nodes.shared_capacities import SETTLED_SECONDS, Hardware, SharedCapacities
from lockstep.facts.cluster.node import SharedCapacity
from lockstep.facts.past_runs import KIND_LABEL

EPYC, XEON = "EPYC 9, Python 3.11", "Xeon 5, Python 3.11"
NOW = 1_000_000.0
LATER = NOW + SETTLED_SECONDS


class Belief:
    """Bids at ``NOW``, how often one changed a plan, how often the cycle was woken; ``kinds`` are of nodes."""

    def __init__(self, *facts, kinds=()):
        self.changes = self.wakes = 0
        self.nodes = {}
        self.bids = Bids(self.nodes, ChangedKeys(self._woken), self._changed)
        for name, kind in dict(kinds).items():
            self.label(name, kind)
        for fact in facts:
            self.bids.apply(fact)
        self.bids.update_shared(NOW)

    def label(self, node, kind):
        self.nodes[node] = node_fact(node, labels={KIND_LABEL: kind} if kind else {})
        self.bids.node_changed(node)

    def kind(self, node):
        return self.nodes[node].labels.get(KIND_LABEL, "") if node in self.nodes else ""

    def _changed(self):
        self.changes += 1

    def _woken(self):
        self.wakes += 1

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
        capacity=said or 1.0,
        says_capacity=said is not None,
        expires=expires,
        report=bid_report(processor=processor, capacity=capacity),
    )


def test_node_that_is_not_measured_yet_has_the_median_of_its_hardware():
    belief = Belief(bid_of("new", duty=0.5), bid_of("a", 1.5), bid_of("b", 2.0), bid_of("c", 9.0))

    assert belief.bids["new"].shared == SharedCapacity(2.0, 3)
    assert belief.slowdowns()["new"] == 1.5 / 2.0


def test_node_with_another_processor_shares_nothing():
    belief = Belief(bid_of("a", 2.0), bid_of("other", processor=XEON), bid_of("unknown", processor=""))

    assert belief.slowdowns() == {"a": 0.5, "other": 1.0, "unknown": 1.0}


def test_nodes_of_unknown_processors_are_not_alike():
    belief = Belief(bid_of("a", 2.0, processor=""), bid_of("b", processor=""), bid_fact("hand", says_capacity=False))

    assert (belief.slowdowns()["b"], belief.slowdowns()["hand"]) == (1.0, 1.0)


def test_node_of_another_kind_shares_nothing_though_it_has_the_same_processor():
    bids = [bid_of("a", 2.0), bid_of("b", 4.0), bid_of("c", 8.0)]
    waiting = [bid_of("small"), bid_of("large"), bid_of("bare"), bid_of("other")]
    kinds = {"a": "m5.large", "b": "m5.metal", "small": "m5.large", "large": "m5.metal", "bare": "", "other": "c5"}

    belief = Belief(*bids, *waiting, kinds=kinds)

    capacities = {one.node: 1 / belief.bids[one.node].slowdown for one in waiting}
    assert capacities == {"small": 2.0, "large": 4.0, "bare": 8.0, "other": 1.0}, "c, which is no node, has no label"


def test_label_that_changes_counts_at_once():
    belief = Belief(
        bid_of("a", 2.0), bid_of("b", 4.0), bid_of("new"), kinds={"a": "m5.large", "b": "m5.metal", "new": "m5.large"}
    )
    before = belief.changes

    belief.label("new", "m5.metal")

    assert (belief.slowdowns()["new"], belief.changes) == (0.25, before + 1)


def test_measurement_goes_with_the_label_of_its_node():
    kinds = {"a": "m5.large", "old": "m5.large", "new": "m5.metal"}
    belief = Belief(bid_of("a", 2.0), bid_of("old"), bid_of("new"), kinds=kinds)

    belief.label("a", "m5.metal")
    belief.bids.update_shared(NOW + 1)
    assert belief.slowdowns() == {"a": 0.5, "old": 0.5, "new": 0.5}, "the first of the new kind counts at once"

    belief.bids.update_shared(LATER)
    assert belief.slowdowns() == {"a": 0.5, "old": 1.0, "new": 0.5}


def test_what_a_person_says_stays_and_is_not_shared():
    belief = Belief(bid_of("set", says=4.0), bid_of("a", 2.0, says=8.0), bid_of("new"))

    assert belief.slowdowns() == {"set": 0.25, "a": 0.125, "new": 0.5}


def test_capacity_that_is_measured_at_last_takes_the_place_of_the_shared_one():
    belief = Belief(bid_of("a", 2.0), bid_of("new"))

    belief.bids.apply(bid_of("new", 1.6, version="2"))

    assert (belief.bids["new"].shared, belief.slowdowns()["new"]) == (None, 1 / 1.6)


def test_reports_of_other_hardware_change_nothing():
    belief = Belief(bid_of("a", 2.0), bid_of("new"))
    before = belief.changes

    belief.bids.apply(bid_of("a", 2.0, version="2"))
    belief.bids.update_shared(LATER)
    assert belief.changes == before, "nothing new"

    belief.bids.apply(bid_of("b", 3.0, processor=XEON))
    belief.bids.update_shared(LATER)
    assert (belief.changes, belief.slowdowns()["new"]) == (before + 1, 0.5), "its own bid is new"


def test_what_is_shared_changes_ten_minutes_after_the_last_change_without_another_write():
    belief = Belief(bid_of("a", 2.0), bid_of("new"))

    belief.bids.apply(bid_of("b", 3.0))
    before = belief.changes
    assert (belief.slowdowns()["b"], belief.slowdowns()["new"]) == (1 / 3, 0.5), "its own counts at once"
    assert belief.bids.next_shared_update() == LATER

    belief.bids.update_shared(LATER - 1)
    assert (belief.slowdowns()["new"], belief.changes) == (0.5, before)

    belief.bids.update_shared(LATER)
    assert (belief.slowdowns()["new"], belief.changes) == (1 / 2.5, before + 1)
    assert belief.bids.next_shared_update() == math.inf


def test_change_counts_at_once_where_the_last_one_is_long_ago():
    belief = Belief(bid_of("a", 2.0), bid_of("new"))

    belief.bids.apply(bid_of("a", 4.0, version="2"))
    belief.bids.update_shared(LATER + 5)
    assert belief.slowdowns()["new"] == 0.25

    belief.bids.apply(bid_of("a", 2.0, version="3"))
    assert belief.bids.next_shared_update() == LATER + 5 + SETTLED_SECONDS


def test_agent_that_says_something_else_at_every_write_changes_others_once_in_ten_minutes():
    others = [f"n{number}" for number in range(50)]
    belief = Belief(bid_of("liar", 2.0), *map(bid_of, others))
    seen = [belief.bids["n7"]]

    for second in range(3600):
        belief.bids.apply(bid_of("liar", 1 + second % 7, version=str(second)))
        belief.bids.update_shared(NOW + second)
        if belief.bids["n7"] is not seen[-1]:
            seen.append(belief.bids["n7"])

    assert len(seen) == 6, "at 600 s, 1200 s and so on"


def test_agent_that_takes_back_what_it_measured_and_measures_anew_gains_no_further_change():
    belief = Belief(bid_of("liar", 2.0), bid_of("new"))

    belief.bids.apply(bid_of("liar", version="2"))
    belief.bids.update_shared(LATER)
    assert belief.slowdowns()["new"] == 1.0

    belief.bids.apply(bid_of("liar", 5.0, version="3"))
    belief.bids.update_shared(LATER + 1)
    assert belief.slowdowns()["new"] == 1.0

    belief.bids.update_shared(LATER + SETTLED_SECONDS)
    assert belief.slowdowns()["new"] == 0.2


def test_clock_that_was_set_back_keeps_no_gang_waiting():
    belief = Belief(bid_of("a", 2.0), bid_of("new"))

    belief.bids.apply(bid_of("a", 4.0, version="2"))
    belief.bids.update_shared(NOW - 1e7)

    assert belief.slowdowns()["new"] == 0.25


def test_cycle_is_woken_where_there_is_more_to_settle_and_only_then():
    belief = Belief(bid_of("a", 2.0), bid_of("new"))
    before = belief.wakes

    belief.bids.apply(bid_of("a", 2.0, version="2"))
    assert belief.wakes == before

    belief.bids.apply(bid_of("a", 4.0, version="3"))
    belief.bids.apply(bid_of("a", 5.0, version="4"))
    assert belief.wakes == before + 1


def test_bid_that_has_expired_still_says_how_fast_its_hardware_is():
    belief = Belief(bid_of("a", 2.0, expires=10.0), bid_of("new"))

    belief.bids.expire(10.0)
    belief.bids.update_shared(LATER)
    assert belief.slowdowns() == {"a": 0.5, "new": 0.5}

    belief.bids.remove("a")
    belief.bids.update_shared(LATER)
    assert belief.slowdowns() == {"new": 1.0}


@pytest.mark.parametrize(("lie", "want"), [(1000.0, 10.0), (0.001, 0.1)])
def test_only_measurement_there_is_is_accepted_within_bounds(lie, want):
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
labelled = st.tuples(nodes, st.sampled_from(["m5.large", ""]))
removed = st.tuples(st.sampled_from(["remove"]), nodes)
steps = st.lists(applied | removed | labelled | st.sampled_from([10.0, 20.0, 1e4]), max_size=30)


@given(steps)
def test_any_history_ends_where_the_bids_that_are_there_would_begin(history):
    belief, there = Belief(), {}
    for number, step in enumerate(history):
        match step:
            case ("remove", node):
                belief.bids.remove(node)
                there.pop(node, None)
            case (node, kind):
                belief.label(node, kind)
            case float():
                belief.bids.expire(step)
                belief.bids.update_shared(step)
            case bid:
                seen = replace(bid, resource_version=str(number))
                belief.bids.apply(seen)
                there[bid.node] = seen

    belief.bids.update_shared(2 * NOW)

    assert belief.bids.keys() == there.keys()
    for bid in belief.bids.values():
        alike = [there[node] for node in there if belief.kind(node) == belief.kind(bid.node)]
        duty_cycle = 0.0 if bid.is_lapsed else there[bid.node].duty_cycle
        assert bid.slowdown == pytest.approx((1 + duty_cycle) / want_capacity(there[bid.node], alike))


def want_capacity(bid, there):
    """The rule, from nothing but the bids of one kind of nodes that are there."""
    if bid.says_capacity or not bid.report.processor:
        return bid.capacity
    known = [
        one.report.capacity
        for one in there
        if one.report.processor == bid.report.processor and one.report.capacity is not None
    ]
    return round(min(max(median(known), 0.1), 10.0), 2) if known else 1.0


def test_what_is_measured_on_the_only_node_of_its_hardware_is_shared_no_more_often():
    capacities, hardware = SharedCapacities(outdated=lambda: None), Hardware(EPYC, "")
    for seconds, capacity in enumerate((1.5, 2.0, 2.5)):
        capacities.record("a", hardware, capacity)
        capacities.update(NOW + seconds)

    assert capacities.of("a") == SharedCapacity(1.5, 1)
    assert capacities.next_due() == LATER
