"""Which runs gangs get where owners may come back: against plans with hard windows, and by trying everything."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from coschedule.queue.keeping.memory import remembering
from coschedule.queue.owners.hazards import hazards_of
from coschedule.queue.owners.safer import RISKS
from coschedule.queue.plan import plan
from coschedule.queue.preemption.preempt import preempt
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.owner_forecasts import Interruptible, no_forecasts
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.problem.refusals import Reason
from coschedule.queue.why.following import turn_of
from coschedule.queue.why.room_now import OWNER_EXPECTED, room_now
from engine.builders import NOW, apart, decisions, gang, node, nodes_taken, only, role, running, seeded, snapshot

HOUR = 3600.0
FREELY = {"interruptible": Interruptible.FREELY}
SAFE, RISKY = node("safe", slowdown=3.0), node("risky")


def edges(hours):
    return [NOW + HOUR * hour for hour in range(hours + 1)]


def forecast(*rows):
    return {"edges": edges(len(rows[0])), "returns": rows}


def test_gang_that_may_not_be_interrupted_avoids_every_risk():
    found = only([RISKY, SAFE], gang(serial=HOUR), **forecast([0.001], [0.0]))

    assert nodes_taken(found) == (("safe", 1),)
    assert found.risk is None


def test_risk_is_taken_where_it_gains_more_than_it_costs():
    found = only([RISKY, SAFE], gang(serial=HOUR, **FREELY), **forecast([0.3], [0.0]))

    assert nodes_taken(found) == (("risky", 1),)
    assert found.risk.probability == found.risk.of_node == pytest.approx(0.3)
    assert found.risk.node == "risky"
    assert 0 < found.risk.lost_seconds < 0.3 * HOUR


def test_risk_is_not_taken_where_it_costs_more_than_it_gains():
    found = only([RISKY, node("safe", slowdown=1.01)], gang(serial=HOUR, **FREELY), **forecast([0.3], [0.0]))

    assert nodes_taken(found) == (("safe", 1),)


def test_checkpoints_make_the_same_risk_worth_it():
    saving = {"interruptible": Interruptible.CHECKPOINTED, "checkpoints": 60.0}

    found = only([RISKY, node("safe", slowdown=1.01)], gang(serial=HOUR, **saving), **forecast([0.3], [0.0]))

    assert nodes_taken(found) == (("risky", 1),)
    assert found.risk.lost_seconds < 30 * 0.3


def test_hours_without_risk_are_used_by_who_may_not_be_interrupted():
    whole_night = gang(serial=8 * HOUR)
    by_day = forecast([0.5, 0.5] + [0.0] * 8 + [0.5])

    found = only([RISKY], whole_night, **by_day)

    assert (found.start, found.finish) == (NOW + 2 * HOUR, NOW + 10 * HOUR)


@pytest.mark.parametrize(("price", "want_start"), [(0.0, NOW), (4.0, NOW + HOUR)])
def test_members_that_cost_others_more_wait_for_a_safe_hour(price, want_start):
    """To try costs no more time than to wait, but it takes members from others meanwhile."""
    one = gang(serial=2 * HOUR, member_price=price, **FREELY)

    assert only([RISKY], one, **forecast([0.9, 0.0, 0.0])).start == want_start


def test_members_on_safer_nodes_of_a_middling_risk_are_found():
    """Neither the safest choice, which has one node, nor the boldest is the best: that is two of three nodes."""
    nodes = [node("a"), node("b"), node("c")]

    facts = forecast([0.0, 0.0], [0.01, 0.01], [0.0, 0.9999])

    found = only(nodes, gang(most=3, serial=6 * HOUR, **FREELY), **facts)

    assert [name for name, _ in nodes_taken(found)] == ["a", "b"]


def test_refusal_counts_owners_that_are_expected():
    found = only([RISKY, node("other")], gang(size=2, serial=HOUR), **forecast([0.1], [0.0]))

    assert found.reason is Reason.WINDOW_TOO_SHORT
    assert found.refusal.owners_expected == 1


def test_gang_of_unknown_run_time_goes_where_no_owner_ever_comes_back():
    assert nodes_taken(only([RISKY, SAFE], gang(), **forecast([0.1], [0.0]))) == (("safe", 1),)
    assert only([RISKY], gang(), **forecast([0.1])).reason is Reason.WINDOW_TOO_SHORT
    assert only([RISKY], gang(**FREELY), **forecast([0.1])).risk.lost_seconds == math.inf


def test_deadline_is_to_be_met_with_what_is_lost_on_average():
    """On the risky node alone the gang would end in time, but not with what it loses on average."""
    nodes = [RISKY, *(node(f"safe{index}", slowdown=2.0) for index in range(3))]
    facts = forecast([0.6] * 4, *[[0.0] * 4] * 3)

    late = only(nodes, gang(most=3, serial=2 * HOUR, deadline=NOW + 2.1 * HOUR, **FREELY), **facts)
    relaxed = only(nodes, gang(most=3, serial=2 * HOUR, deadline=NOW + 9 * HOUR, **FREELY), **facts)

    assert (late.size, late.risk) == (2, None)
    assert relaxed.size == 1


def test_roles_and_terms_avoid_owners_too():
    nodes = [RISKY, node("other"), SAFE]
    two = gang(roles=[role("a"), role("b")], serial=HOUR, terms=[apart("a", "b")])

    found = only(nodes, two, **forecast([0.0], [0.1], [0.0]))

    assert sorted(one for one, _ in nodes_taken(found)) == ["other", "safe"]


@pytest.mark.parametrize("promises", list(Promises))
def test_what_was_planned_is_kept_only_while_it_is_safe(promises):
    def facts(risk):
        taken = gang("first", serial=HOUR, created=0.0)
        waits = gang("second", serial=HOUR, created=1.0)
        return replace(snapshot([node("a"), SAFE], [taken, waits], **forecast(risk, [0.0, 0.0])), promises=promises)

    before = facts([0.0, 0.0])
    made = plan(before)
    now = remembering(facts([0.0, 0.4]), before, made)

    for placement in plan(now).decisions:
        assert isinstance(placement, Placement)
        assert placement.risk is None
        assert nodes_taken(placement) == (("safe", 1),) or placement.finish <= NOW + HOUR


def random_case(rnd, *, hours=3):
    count = rnd.randint(1, 4)
    nodes = [node(f"n{index}", free=rnd.randint(1, 2), slowdown=rnd.choice([1.0, 1.5, 3.0])) for index in range(count)]
    one = gang(
        size=rnd.randint(1, 2),
        most=rnd.randint(2, 4),
        serial=rnd.choice([HOUR / 2, 2 * HOUR, 5 * HOUR]),
        member_price=rnd.choice([0.0, 0.25]),
        **rnd.choice([FREELY, {"interruptible": Interruptible.CHECKPOINTED, "checkpoints": 600.0}]),
    )
    # Who is at risk stays so, and more and more: such hours are closed by a window.
    rows = [sorted(rnd.choice([0.0, 0.0, 0.01, 0.05, 0.3]) for _ in range(hours)) for _ in nodes]
    return nodes, one, rows


def as_windows(snap, risk):
    """Return the facts where nodes close for good as soon as an hour has more than this risk."""
    begin, returns = snap.forecasts.edges[:-1], snap.forecasts.returns
    until = [min((begin[hour] for hour in np.flatnonzero(row > risk)), default=math.inf) for row in returns]
    return replace(snap, until=np.array(until), forecasts=no_forecasts())


def merit(snap, one, placement):
    hazards = hazards_of(snap.forecasts)
    nodes = np.array([snap.nodes.names.index(name) for name, _ in nodes_taken(placement)])
    weight = 1 + one.member_price * placement.size
    lost = hazards.loss(nodes, placement.start, placement.finish, one.checkpoint_interval).seconds if hazards else 0.0
    return placement.start + (placement.finish - placement.start + lost) * weight


@pytest.mark.parametrize("seed", range(150))
def test_best_of_the_plans_with_windows_is_taken(seed):
    nodes, one, rows = random_case(seeded(seed))
    snap = snapshot(nodes, [one], **forecast(*rows))

    [found] = plan(snap).decisions
    others = [plan(as_windows(snap, risk)).decisions[0] for risk in (*RISKS, 1.0)]
    [never] = plan(replace(snap, gangs=(gang_that_may_not(one),))).decisions

    placed = [other for other in others if isinstance(other, Placement)]
    assert isinstance(found, Placement) == bool(placed)
    if placed:
        assert merit(snap, one, found) == pytest.approx(min(merit(snap, one, other) for other in placed))
    if isinstance(never, Placement):
        safest = others[0]
        assert (never.members, never.start, never.finish) == (safest.members, safest.start, safest.finish)


def gang_that_may_not(one):
    return replace(one, interruptible=Interruptible.NEVER, checkpoint_interval=math.inf)


@pytest.mark.parametrize("seed", range(60))
def test_safest_and_boldest_runs_bound_what_is_taken_among_all_there_are(seed):
    """Of every set of nodes, all equally fast: no run without risk is better, nor any by more than its own loss."""
    rnd = seeded(seed)
    count = rnd.randint(2, 5)
    nodes = [node(f"n{index}") for index in range(count)]
    one = gang(most=count, serial=rnd.choice([HOUR, 4 * HOUR]), member_price=rnd.choice([0.0, 0.1]), **FREELY)
    rows = [[rnd.choice([0.0, 0.01, 0.05, 0.3])] for _ in nodes]
    snap = snapshot(nodes, [one], **forecast(*rows))
    [found] = plan(snap).decisions

    hazards, runs = hazards_of(snap.forecasts), []
    for size in range(1, count + 1):
        for chosen in combinations(range(count), size):
            seconds, weight = float(one.work.serial) / size, 1 + one.member_price * size
            lost = hazards.loss(np.array(chosen), NOW, NOW + seconds, math.inf).seconds if hazards else 0.0
            runs.append((NOW + (seconds + lost) * weight, lost == 0.0, NOW + seconds * weight))

    mine = merit(snap, one, found)
    best, boldest = min(runs)[0], min(run[2] for run in runs)
    riskless = min((run[0] for run in runs if run[1]), default=math.inf)
    assert best - 1e-6 <= mine <= riskless + 1e-6
    assert mine >= boldest - 1e-6


def test_decisions_without_forecasts_do_not_depend_on_who_may_be_interrupted():
    nodes, gangs = [SAFE, RISKY], [gang("a", serial=HOUR), gang("b", serial=HOUR, created=1.0)]
    willing = [replace(one, interruptible=Interruptible.FREELY) for one in gangs]

    assert decisions(nodes, *gangs) == decisions(nodes, *willing)
    assert decisions(nodes, *gangs) == decisions(nodes, *gangs, **forecast([0.0, 0.0], [0.0, 0.0]))


def test_explanation_counts_nodes_whose_owners_are_expected():
    one = gang(serial=HOUR)
    snap = snapshot([RISKY, SAFE], [one], **forecast([0.5], [0.0]))

    [found] = room_now(turn_of(snap, plan(snap), one.key))

    assert (found.failures, found.with_room) == (((OWNER_EXPECTED, 1),), 1)


@pytest.mark.parametrize(
    ("interruptible", "want_victims"), [(Interruptible.NEVER, ["cold"]), (Interruptible.FREELY, [])]
)
def test_others_are_evicted_for_a_safe_node_only_where_no_risk_may_be_taken(interruptible, want_victims):
    hot = gang("hot", serial=HOUR, priority=5, may_preempt=True, interruptible=interruptible)
    nodes = [node("risky"), node("safe", free=0)]
    snap = snapshot(nodes, [hot], runs=[running("cold", 1, end=NOW + 9 * HOUR)], **forecast([0.1], [0.0]))

    found = preempt(snap, plan(snap))

    assert [key.name for one in found.preemptions for key in one.victims] == want_victims
