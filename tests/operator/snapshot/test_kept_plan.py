"""The plan in the status of a gang before this process planned it."""

from dataclasses import replace

import pytest

from builders.facts import bid_fact, gang_fact, gang_spec, node_fact, start_estimate
from coschedule import Constraints, Load, Members, Pieces, Role, SerialWork, Sizes
from lockstep.belief.state import State
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.past_runs import Learned
from lockstep.snapshot.kept_plan import kept_plan
from lockstep.snapshot.nodes.node_arrays import node_arrays
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.snapshot.wanted import PlanTerms

START = 1_800_000_000.0
START_ESTIMATE = start_estimate(START, promised_start=START + 60, expected_finish=START + 100)
ROLE = Role(
    name="", sizes=Sizes(minimum=1, maximum=1), request=(1,), constraints=Constraints(), load=Load.EQUAL, pieces=None
)

WORK = SerialWork(serial=100)


def planned_status(factor=None, *, seconds=100):
    """The status of a gang that waits for a run of so long, planned with that factor."""
    return GangStatus(
        conditions=(ConditionFact("Planned", "True", "StartsLater", "", 1, START),),
        start=START,
        expected_finish=None if seconds is None else START + seconds,
        members=(Members("n1", 1),),
        run_time_factor=factor,
        plan=START_ESTIMATE,
    )


def kept_of(status, work, *, learned=None, slowdown=1.0, roles=(ROLE,)):
    """What is kept of that on a node of that slow-down."""
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    state.bids.apply(bid_fact("n1", slowdown=slowdown))
    gang = gang_fact("g", spec=gang_spec(size=1), status=status)
    return kept_plan(gang, roles, node_arrays(state), work, learned)


@pytest.mark.parametrize(
    ("factor", "learned", "want"),
    [
        pytest.param(None, None, 100, id="as stated, then as now"),
        pytest.param("1.5", Learned(thousandths=1500, runs=9), 100, id="as learnt, then as now"),
        pytest.param("2", Learned(thousandths=1500, runs=9), 75, id="runs have become shorter"),
        pytest.param(None, Learned(thousandths=1500, runs=3), 150, id="learnt since"),
        pytest.param("2", None, 50, id="forgotten since"),
    ],
)
def test_gang_keeps_its_place_for_as_long_as_its_run_is_known_to_take_now(factor, learned, want):
    kept = kept_of(planned_status(factor), SerialWork(serial=want), learned=learned)

    assert (kept.start, kept.finish) == (START, START + want)


# What anybody may have written there, as far as the schema goes; or nodes are not as fast as they were.


def test_run_too_short_to_be_distinguished_from_none_is_not_kept():
    assert kept_of(planned_status(32 * "9"), WORK) is None


@pytest.mark.parametrize(
    ("seconds", "want"),
    [(98, False), (99, True), (201, True), (202, False), (250_000_000_000, False), (None, False)],
)
def test_run_is_kept_if_such_members_may_need_as_long(seconds, want):
    assert (kept_of(planned_status(seconds=seconds), WORK) is not None) == want


def test_slower_node_needs_longer():
    assert kept_of(planned_status(seconds=100), WORK, slowdown=3.0) is None
    assert kept_of(planned_status(seconds=300), WORK, slowdown=3.0).finish == START + 300


# Ten members with a piece each, and one with 90: it ends after 90 s of the work on a reference node, and has 5 s more.
POOLS = [replace(ROLE, name="a", load=Load.PIECES, pieces=10), replace(ROLE, name="b", load=Load.PIECES, pieces=90)]
IN_POOLS = (Members("n1", 10, Pieces(1), "a"), Members("n1", 1, Pieces(90), "b"))


@pytest.mark.parametrize(
    ("slowdown", "seconds", "want"),
    [(1.0, 95, True), (1.0, 93, False), (2.0, 185, True), (2.0, 183, False), (1.0, 187, False)],
)
def test_run_of_several_pools_is_as_long_as_that_of_the_last(slowdown, seconds, want):
    status = replace(planned_status(seconds=seconds), members=IN_POOLS)

    kept = kept_of(status, SerialWork(serial=100, fixed=5), slowdown=slowdown, roles=POOLS)

    assert (kept is not None) == want


@pytest.mark.parametrize(("seconds", "want"), [(100, False), (None, True)])
def test_run_of_unknown_work_never_ends(seconds, want):
    assert (kept_of(planned_status(seconds=seconds), None) is not None) == want


@pytest.mark.parametrize(
    ("terms", "want"),
    [
        pytest.param(PlanTerms(), START, id="a new leader goes on from the status"),
        pytest.param(PlanTerms(is_remembered=True), None, id="who remembers need not read it"),
    ],
)
def test_place_is_read_from_the_status_where_no_plan_is_remembered(terms, want):
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    gang = gang_fact("g", spec=gang_spec(size=1, work=WORK), status=planned_status())

    [pending] = SnapshotCutter(state).cut(START - 10, [gang], terms={gang.key: terms}).gangs

    assert (pending.kept and pending.kept.start) == want
    assert pending.promised == START + 60
