"""What would let a gang start sooner: each change is what planning again makes of it."""

from dataclasses import replace

import pytest

from coschedule.queue.constraints.terms import Constraints, NodeTerm, Requirement, Taint
from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.why.changes import (
    MOST_GANGS,
    AffinityDropped,
    FewerMembers,
    GangEnds,
    GangLeaves,
    SelectorDropped,
    TaintTolerated,
    TermDropped,
    decision_if,
    possible_changes,
)
from engine.builders import NOW, apart, gang, node, role, running, seeded, snapshot
from engine.queue.test_plan_properties import cluster

ME = GangKey("default", "me")
RED = Taint("pool", "red", "NoSchedule")


def what_helps(snap, *, runs=()):
    """The changes with which the gang starts sooner, and when it starts then."""
    made = plan(snap)
    start = start_of(next(one for one in made.decisions if one.gang == ME))
    tried = {
        change: start_of(decision_if(snap, ME, change)) for change in possible_changes(snap, made, ME, running=runs)
    }
    return {change: then for change, then in tried.items() if then < start}


def start_of(decision):
    return decision.start if isinstance(decision, Placement) else float("inf")


def test_gang_that_runs_on_its_nodes_may_end():
    first, second = running("first", 0, end=NOW + 50), running("second", 1, end=NOW + 20)
    snap = snapshot([node("a", free=0), node("b", free=0)], [gang("me", serial=10)], runs=[first, second])

    helps = what_helps(snap, runs=[first, second])

    # It is planned on the node of the second: without that one it starts at once; the first is not in its way.
    assert list(helps) == [GangEnds(gang=second)]
    assert helps[GangEnds(gang=second)] == pytest.approx(NOW)


def test_gang_that_waits_in_front_may_leave():
    snap = snapshot([node("a")], [gang("other", serial=10), gang("me", serial=10, created=1.0)])

    assert what_helps(snap) == {GangLeaves(gang=GangKey("default", "other")): NOW}


def test_gang_behind_is_never_in_the_way():
    snap = snapshot([node("a")], [gang("other", serial=10, created=2.0), gang("me", size=2, serial=10, created=1.0)])

    assert not any(isinstance(one, GangLeaves) for one in possible_changes(snap, plan(snap), ME))


def test_fewer_members_may_start_at_once():
    runs = [running("first", 0, end=NOW + 50)]
    snap = snapshot([node("a", free=0), node("b")], [gang("me", size=2, serial=10)], runs=runs)

    assert what_helps(snap) == {FewerMembers(role=""): NOW}
    assert decision_if(snap, ME, FewerMembers(role="")).size == 1


def test_role_with_sizes_to_choose_from_is_the_one_that_may_shrink():
    roles = [role("fixed", size=3), role("free", size=2, most=4)]
    snap = snapshot([node("a")], [gang("me", roles=roles, serial=10)])

    assert FewerMembers(role="free") in possible_changes(snap, plan(snap), ME)


@pytest.mark.parametrize(
    ("constraints", "want"),
    [
        pytest.param(
            Constraints(node_selector=(("kind", "fast"),)), SelectorDropped(key="kind", value="fast"), id="selector"
        ),
        pytest.param(
            Constraints(affinity=(NodeTerm((Requirement("kind", "In", ("fast",)),), ()),)),
            AffinityDropped(),
            id="affinity",
        ),
    ],
)
def test_other_kind_of_node_may_be_free(constraints, want):
    runs = [running("first", 0, end=NOW + 50)]
    nodes = [node("a", free=0, labels={"kind": "fast"}), node("b", labels={"kind": "slow"})]
    snap = snapshot(nodes, [gang("me", serial=10, constraints=constraints)], runs=runs)

    assert what_helps(snap) == {want: NOW}


def test_taint_may_be_tolerated_but_not_one_that_says_that_a_node_is_not_well():
    ill = Taint("node.kubernetes.io/unreachable", "", "NoSchedule")
    snap = snapshot([node("a", taints=[RED]), node("b", taints=[ill])], [gang("me", serial=10)])

    assert what_helps(snap) == {TaintTolerated(taint=RED): NOW}
    assert [one for one in possible_changes(snap, plan(snap), ME) if isinstance(one, TaintTolerated)] == [
        TaintTolerated(taint=RED)
    ]


def test_term_may_be_dropped():
    term = apart("", key="kubernetes.io/hostname")
    nodes = [node("a", free=2, labels={"kubernetes.io/hostname": "a"})]
    snap = snapshot(nodes, [gang("me", size=2, serial=10, terms=[term])])

    assert what_helps(snap) == {TermDropped(term=term): NOW, FewerMembers(role=""): NOW}


def test_gang_that_starts_now_is_helped_by_nothing():
    snap = snapshot([node("a")], [gang("me", serial=10)])

    assert what_helps(snap) == {}


def test_only_so_many_gangs_are_thought_away_those_on_most_nodes_first():
    runs = [running(f"r{index:02}", index, end=NOW + 10) for index in range(12)]
    wide = running("wide", 12, 13, end=NOW + 10)
    nodes = [node(f"n{index:02}", free=0) for index in range(14)]
    snap = snapshot(nodes, [gang("me", size=14, serial=10)], runs=[*runs, wide])

    ending = [one for one in possible_changes(snap, plan(snap), ME, running=snap.running) if isinstance(one, GangEnds)]

    assert len(ending) == MOST_GANGS
    assert ending[0].gang == wide


def test_change_for_one_gang_leaves_the_snapshot_as_it_is():
    snap = snapshot([node("a")], [gang("me", size=2, serial=10)])
    made = plan(snap)

    decision_if(snap, ME, FewerMembers(role=""))

    assert plan(snap) == made


@pytest.mark.parametrize("seed", range(8))
def test_every_change_gives_what_a_whole_plan_of_the_changed_snapshot_gives(seed):
    """Less urgent gangs are left out when a change is tried: that must change nothing."""
    snap = cluster(seeded(seed), nodes=10, gangs=8)
    made = plan(snap)
    for pending in snap.gangs:
        for change in possible_changes(snap, made, pending.key):
            if isinstance(change, GangLeaves):
                others = tuple(one for one in snap.gangs if one.key != change.gang)
                [want] = [one for one in plan(replace(snap, gangs=others)).decisions if one.gang == pending.key]
                assert decision_if(snap, pending.key, change) == want
