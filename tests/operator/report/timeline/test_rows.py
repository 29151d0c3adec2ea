"""Nodes as rows: what they have in common, and in which order they come."""

from random import Random

import pytest

from builders.facts import bid_fact, gang_fact, node_fact, reservation
from coschedule import GangKey
from lockstep.api.pool import Pool
from lockstep.belief.nodes.owners import QUIET_SECONDS
from lockstep.belief.state import State
from lockstep.facts.cluster.node import OnReturn
from lockstep.report.timeline import freeze
from lockstep.report.timeline.bars import BarPart, bars
from lockstep.report.timeline.rows import RowOffer, rows

IDLE = RowOffer(1.0, None, None, "")


def state_of(*names, pool=None):
    state = State(lambda: None, **({} if pool is None else {"pool": pool}))
    for name in names:
        state.nodes.apply(node_fact(name))
    return state


def drawn(state):
    facts = freeze(state, (), planned_at=0.0, now=0.0)
    return rows(facts, bars(facts))


def test_nodes_without_differences_share_a_row():
    [row] = drawn(state_of("n2", "n1", "n3"))

    assert (row.nodes, row.offer, row.entries) == (("n1", "n2", "n3"), IDLE, ())


def test_nodes_with_the_same_members_share_a_row():
    state = state_of("n1", "n2", "n3")
    state.assumptions.hold(reservation("one", members=(("n1", 1), ("n3", 1))))
    state.assumptions.hold(reservation("two", members=(("n2", 2),)))

    assert [(row.nodes, row.entries) for row in drawn(state)] == [
        (("n1", "n3"), ((0, 0, BarPart(1)),)),
        (("n2",), ((1, 0, BarPart(2)),)),
    ]


def test_gangs_at_the_same_time_are_stacked():
    state = state_of("n1")
    for name in ("one", "two"):
        state.assumptions.hold(reservation(name, members=(("n1", 1),)))

    [row] = drawn(state)

    assert [(entry.bar, entry.lane) for entry in row.entries] == [(0, 0), (1, 1)]


def test_faster_nodes_come_first_and_windows_are_kept():
    state = state_of("slow", "fast", "owned")
    state.bids.apply(bid_fact("slow", slowdown=3.0))
    state.bids.apply(bid_fact("fast", slowdown=0.5))
    state.bids.apply(bid_fact("owned", since=10.0, until=20.0))

    assert [(row.nodes, row.offer) for row in drawn(state)] == [
        (("fast",), RowOffer(2.0, None, None, "")),
        (("owned",), RowOffer(1.0, 10.0, 20.0, "")),
        (("slow",), RowOffer(0.33, None, None, "")),
    ]


@pytest.mark.parametrize(
    ("change", "want_why_closed"),
    [
        pytest.param(lambda state: state.nodes.apply(node_fact("n1", ready=False)), "not ready", id="not ready"),
        pytest.param(lambda state: state.nodes.apply(node_fact("n1", cordoned=True)), "cordoned", id="cordoned"),
        pytest.param(lambda state: state.bids.apply(bid_fact("n1", slots=0)), "no slots", id="it offers no slots"),
        pytest.param(
            lambda state: state.bids.apply(bid_fact("n1", since=10.0, owner_present=True)),
            "owner present",
            id="its owner is present",
        ),
        pytest.param(lambda state: state.nodes.remove("n1"), "gone", id="gone, and a gang is on it"),
    ],
)
def test_row_says_why_its_nodes_take_no_members(change, want_why_closed):
    state = state_of("n1")
    state.assumptions.hold(reservation(members=(("n1", 1),)))
    change(state)

    [row] = drawn(state)

    assert (row.offer.opens, row.offer.why_closed) == (None, want_why_closed)


def test_row_of_a_node_whose_owner_has_just_left_says_when_it_opens():
    state = state_of("n1")
    for owner_present in (True, False):
        state.bids.apply(bid_fact("n1", on_return=OnReturn.EVICT, owner_present=owner_present))
        state.advance_to(0.0)

    [row] = drawn(state)

    assert row.offer == RowOffer(1.0, QUIET_SECONDS, None, "")


def test_nodes_outside_the_pool_are_shown_as_long_as_gangs_are_on_them():
    state = state_of("n1", "n2", pool=Pool(selector=(("for", "gangs"),)))
    state.assumptions.hold(reservation(members=(("n1", 1),)))

    assert [(row.nodes, row.offer.why_closed) for row in drawn(state)] == [(("n1",), "not in the pool")]


@pytest.mark.parametrize("seed", range(20))
def test_every_node_has_one_row_and_in_it_what_is_reserved_there(seed):
    chance = Random(seed)  # noqa: S311 - cases of a test are no secrets
    names = [f"n{number}" for number in range(8)]
    state = state_of(*names)
    want = {}
    for number in range(6):
        members = tuple((node, chance.randint(1, 3)) for node in sorted(chance.sample(names, chance.randint(1, 4))))
        state.apply_gang(gang_fact(f"g{number}"))
        state.assumptions.hold(reservation(f"g{number}", members=members, start=chance.randint(0, 3), finish=9.0))
        want |= {(node, GangKey("default", f"g{number}")): count for node, count in members}

    facts = freeze(state, (), planned_at=0.0, now=0.0)
    shown = bars(facts)
    found = [
        ((node, shown[entry.bar].gang), entry.part.members)
        for row in rows(facts, shown)
        for node in row.nodes
        for entry in row.entries
    ]

    assert sorted(found) == sorted(want.items())
    assert sorted(node for row in rows(facts, shown) for node in row.nodes) == names
