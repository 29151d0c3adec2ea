"""For how long a run may be on nodes with taints that evict, as Kubernetes' taint manager counts it."""

import math

import pytest

from coschedule.queue.constraints.staying import longest_stay
from coschedule.queue.constraints.terms import Constraints, Taint, Toleration
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.problem.decisions import Placement, Unplaceable
from coschedule.queue.problem.refusals import Reason
from engine.builders import NOW, gang, node, only, snapshot

LEAVING, DRAINING = Taint("leaving", "soon", "NoExecute"), Taint("draining", "", "NoExecute")
FULL = Taint("full", "", "NoSchedule")


def tolerated(key, seconds=math.inf, effect="NoExecute", value=None):
    operator = "Exists" if value is None else "Equal"
    return Toleration(key, operator, value or "", effect, seconds)


@pytest.mark.parametrize(
    ("taints", "tolerations", "want"),
    [
        pytest.param([], [tolerated("leaving", 5)], math.inf, id="no taint"),
        pytest.param([LEAVING], [tolerated("leaving", 5)], 5, id="tolerated for a while"),
        pytest.param([LEAVING], [tolerated("leaving")], math.inf, id="tolerated without an end"),
        pytest.param([LEAVING], [tolerated("leaving", 0)], 0, id="evicted at once"),
        pytest.param([LEAVING], [tolerated("leaving", -7)], 0, id="evicted at once, however it is written"),
        pytest.param([FULL], [tolerated("full", 5, effect="")], math.inf, id="a taint that does not evict"),
        pytest.param([LEAVING], [tolerated("", 5, effect="")], 5, id="whatever its key and effect"),
        pytest.param([LEAVING], [tolerated("leaving", 5, value="soon")], 5, id="of that value"),
        pytest.param(
            [LEAVING], [tolerated("leaving", 5, value="late"), tolerated("leaving", 9)], 9, id="of another value"
        ),
        pytest.param([LEAVING], [tolerated("leaving", 5), tolerated("leaving")], 5, id="twice: the first counts"),
        pytest.param([LEAVING], [tolerated("leaving"), tolerated("leaving", 5)], math.inf, id="the first has no end"),
        pytest.param(
            [LEAVING, DRAINING], [tolerated("leaving", 50), tolerated("draining", 5)], 5, id="two taints: the sooner"
        ),
        pytest.param([LEAVING, DRAINING], [tolerated("leaving"), tolerated("draining", 5)], 5, id="one without an end"),
    ],
)
def test_stay_ends_when_the_first_taint_evicts(taints, tolerations, want):
    assert longest_stay(taints, tolerations) == want


def nodes():
    return [node("a", taints=[LEAVING]), node("b")]


def test_there_is_no_limit_where_no_toleration_ends_or_no_taint_is_there():
    table = snapshot(nodes(), []).nodes
    bare = snapshot([node("a"), node("b")], []).nodes

    assert Feasibility(table).stays(Constraints(tolerations=(tolerated("leaving"),))) is None
    assert Feasibility(bare).stays(Constraints(tolerations=(tolerated("leaving", 5),))) is None
    assert Feasibility(table).stays(Constraints(tolerations=(tolerated("leaving", 5),))).tolist() == [5, math.inf]


def tolerant(seconds, **more):
    return gang(constraints=Constraints(tolerations=(tolerated("leaving", seconds),)), **more)


@pytest.mark.parametrize(
    ("seconds", "want"),
    [
        pytest.param(9, "b", id="too short"),
        pytest.param(10, "a", id="just long enough"),
        pytest.param(math.inf, "a", id="without an end"),
    ],
)
def test_gang_uses_a_node_that_evicts_it_if_it_ends_before(seconds, want):
    [members] = only(nodes(), tolerant(seconds, serial=10)).members

    assert members.node == want


def test_gang_waits_for_a_node_on_which_it_may_stay():
    decision = only([node("a", taints=[LEAVING]), node("b", start=NOW + 50)], tolerant(9, serial=10))

    assert (decision.start, decision.members[0].node) == (NOW + 50, "b")


def test_more_members_are_taken_where_only_a_shorter_run_may_stay():
    wide = [node(name, taints=[LEAVING]) for name in "abcd"]

    assert only(wide, tolerant(5, serial=12, most=4)).size >= 3


def test_gang_of_unknown_run_time_never_uses_a_node_that_evicts_it():
    assert isinstance(only(nodes(), tolerant(86_400)), Placement)
    assert only(nodes(), tolerant(86_400)).members[0].node == "b"
    refused = only([node("a", taints=[LEAVING])], tolerant(86_400))
    assert isinstance(refused, Unplaceable)
    assert (refused.refusal.reason, refused.refusal.tolerated) == (Reason.WINDOW_TOO_SHORT, 1)


def test_gang_that_may_not_stay_anywhere_knows_for_how_long_it_might():
    refusal = only([node("a", taints=[LEAVING])], tolerant(9, serial=10)).refusal

    assert refusal.reason is Reason.WINDOW_TOO_SHORT
    assert (refusal.shortest_seconds, refusal.tolerated, refusal.tolerated_seconds) == (10, 1, 9)


def test_no_node_that_evicts_it_is_held():
    busy = {"free": 0, "someday": (1,)}
    held = only([node("a", taints=[LEAVING], **busy), node("b", **busy)], tolerant(20, serial=10), most_holding=1).hold

    assert held.nodes == ("b",)
