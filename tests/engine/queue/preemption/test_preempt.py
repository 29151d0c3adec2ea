"""Which gangs give way to which others: worked examples."""

import math
from dataclasses import replace

import pytest

from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.keeping.memory import remembering
from coschedule.queue.plan import plan
from coschedule.queue.preemption import landing, sets
from coschedule.queue.preemption import preempt as preempting
from coschedule.queue.preemption.preempt import preempt
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import GangKey, Load
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.search import effort
from engine.builders import NOW, apart, gang, node, release, role, running, snapshot, together

FULL = [node(f"n{index}", free=0) for index in range(1, 4)]
OWN = {"constraints": Constraints(node_selector=(("of", "team"),))}


def preempted(nodes=FULL, gangs=(), **facts):
    """List which gangs give way to which others, by name."""
    snap = snapshot(nodes, gangs, **facts)
    found = preempt(snap, plan(snap)).preemptions
    return {one.gang.name: [victim.name for victim in one.victims] for one in found}


def hot(name="hot", *, priority=5, may_preempt=True, **more):
    """Describe a gang that may preempt."""
    return gang(name, priority=priority, may_preempt=may_preempt, **more)


@pytest.mark.parametrize(
    ("runs", "want"),
    [
        pytest.param([running("a", 0, since=NOW - 9), running("b", 1, since=NOW - 8)], ["b"], id="least lost work"),
        pytest.param(
            [running("a", 0, size=4, since=NOW - 3), running("b", 1, size=1, since=NOW - 9)],
            ["b"],
            id="lost work counts members",
        ),
        pytest.param(
            [running("a", 0, queued_since=1), running("b", 1, queued_since=2)], ["b"], id="the youngest of equals"
        ),
        pytest.param(
            [running("a", 0, priority=5), running("b", 1, priority=4)], ["b"], id="never one of equal priority"
        ),
        pytest.param([running("a", 0, priority=5)], None, id="none where all are as urgent"),
        pytest.param(
            [running("a", 0, since=NOW + 1), running("b", 1)],
            ["a"],
            id="first one that does not run yet, and loses none",
        ),
    ],
)
def test_one_gives_way(runs, want):
    assert preempted(gangs=[hot()], runs=runs) == ({} if want is None else {"hot": want})


def test_fewest_gangs_give_way_where_as_much_work_is_lost():
    runs = [running("a", 0), running("b", 1), running("both", (0, 1), (1, 1), size=2)]
    nodes = [node("n1", free=0), node("n2", free=0)]

    assert preempted(nodes, [hot(size=2)], runs=runs) == {"hot": ["both"]}


def test_gang_that_may_not_preempt_waits():
    assert preempted(gangs=[hot(may_preempt=False)], runs=[running("a", 0)]) == {}


def test_no_gang_is_evicted_for_one_that_would_not_fit_even_then():
    assert preempted(gangs=[hot(size=4)], runs=[running(name, index) for index, name in enumerate("abc")]) == {}


def test_no_gang_is_evicted_for_one_that_starts_soon_anyway():
    runs = [running("a", 0, end=NOW + 30), running("b", 1)]

    assert preempted(gangs=[hot()], runs=runs) == {}


def test_gang_that_starts_much_later_preempts():
    runs = [running("a", 0, end=NOW + 61, since=NOW - 90), running("b", 1)]

    assert preempted(gangs=[hot()], runs=runs) == {"hot": ["b"]}


def test_grace_that_ends_too_late_gains_nothing():
    runs = [running("a", 0, end=NOW + 60, priority=5), running("b", 1, grace=40)]

    assert preempted(gangs=[hot(serial=10)], runs=runs) == {}


def test_gang_whose_victims_are_ending_evicts_no_other():
    ending = release(0, NOW + 100)
    runs = [running("b", 1)]

    assert preempted(gangs=[hot(awaits=NOW + 100)], releases=[ending], runs=runs) == {}
    assert preempted(gangs=[hot()], releases=[ending], runs=runs) == {"hot": ["b"]}


def test_gang_in_front_that_waits_takes_the_room_first():
    # What one victim leaves goes to the gang in front; the other one evicts two.
    front = gang("front", priority=9)
    runs = [running("a", 0), running("b", 1), running("c", 2)]

    assert preempted(gangs=[front, hot()], runs=runs) == {"hot": ["a", "b"]}


def test_gang_of_equal_priority_behind_is_not_delayed():
    # The gang would start now on n1, which is free for one that is behind it, and on what the victim leaves.
    nodes = [node("n1", free=1), node("n2", free=0)]
    first, second = hot("first", size=2, created=1, serial=100), gang("second", priority=5, created=2)

    assert preempted(nodes, [first, second], runs=[running("a", 1)]) == {}


def crowd(count, tenant="default", **more):
    """Describe urgent gangs that wait behind others, and that may preempt."""
    gangs = [hot(f"crowd{index:03d}", created=10.0 + index, serial=100, **more) for index in range(count)]
    return [replace(one, key=GangKey(tenant, one.key.name)) for one in gangs]


@pytest.mark.parametrize("count", [40, 300])
@pytest.mark.parametrize("tenant", ["default", "team"])
def test_gangs_of_equal_priority_behind_keep_none_from_preempting(count, tenant):
    runs = [running("a", 0), running("b", 1, since=NOW - 900)]
    waiting = [hot(serial=100), *crowd(count, tenant)]
    snap = snapshot(FULL, waiting, runs=runs, releases=[release(2, NOW + 5000)])
    made = plan(snap)

    after = preempt(snap, made)

    assert after.preemptions[0].gang.name == "hot"
    assert [victim.name for victim in after.preemptions[0].victims] == ["a"]
    before = {one.gang: landing.start_of(one) for one in made.decisions}
    assert all(landing.start_of(one) <= before[one.gang] for one in after.plan.decisions)


@pytest.mark.parametrize("effort", [4, 512])
def test_gang_of_equal_priority_behind_is_not_delayed_however_few_plans_are_possible(monkeypatch, effort):
    monkeypatch.setattr(preempting, "MOST_PLANNED", effort)
    nodes = [node("n1", free=1), node("n2", free=0)]
    first, second = hot("first", size=2, created=1, serial=100), gang("second", priority=5, created=2)

    assert preempted(nodes, [first, second], runs=[running("a", 1)]) == {}


@pytest.mark.parametrize("effort", [8, 512])
def test_gang_that_would_delay_others_leaves_some_effort_to_gangs_behind(monkeypatch, effort):
    monkeypatch.setattr(preempting, "MOST_PLANNED", effort)
    nodes = [node("n1", free=1), node("n2", free=0)]
    first, second = hot("first", size=2, created=1, serial=100), gang("second", priority=5, created=2)

    assert preempted(nodes, [first, second, hot("third", created=3)], runs=[running("a", 1)]) == {"third": ["a"]}


@pytest.mark.parametrize("refused", [{"size": 4}, {"size": 3, "terms": [apart(""), together("")]}])
def test_gangs_in_front_that_fit_nowhere_keep_none_from_preempting(refused):
    in_front = [replace(one, priority=9) for one in crowd(300, "team", **refused)]

    assert preempted(gangs=[*in_front, hot()], runs=[running("a", 0)]) == {"hot": ["a"]}


@pytest.mark.parametrize("count", [40, 254, 600])
@pytest.mark.parametrize("tenant", ["default", "team"])
@pytest.mark.parametrize("needed", [OWN, {"size": 4}], ids=["only the node", "all nodes"])
def test_gangs_in_front_that_can_not_use_the_room_keep_none_from_preempting(needed, tenant, count):
    # No eviction ends the pods on the node "own", and all gangs in front need this node.
    nodes = [*FULL, node("own", free=0, someday=(1,), labels={"of": "team"})]
    in_front = [replace(one, priority=9) for one in crowd(count, tenant, **needed)]

    assert preempted(nodes, [*in_front, hot()], runs=[running("a", 0)]) == {"hot": ["a"]}


@pytest.mark.parametrize("count", [40, 300])
def test_no_gang_gives_way_in_vain_however_many_wait_in_front(count):
    # The gangs in front may not preempt, and they would take the room that the victim leaves.
    in_front = [replace(one, priority=9, may_preempt=False) for one in crowd(count, "team")]

    assert preempted(gangs=[*in_front, hot()], runs=[running("a", 0)]) == {}


def of_pool(name, *gangs, tenant="team"):
    """Return these gangs in a pool of nodes, as gangs of one tenant."""
    pool = Constraints(node_selector=(("pool", name),))
    roles = [tuple(replace(one, constraints=pool) for one in gang.roles) for gang in gangs]
    return [replace(one, roles=of, key=GangKey(tenant, one.key.name)) for one, of in zip(gangs, roles, strict=True)]


@pytest.mark.parametrize("count", [3, 4, 9])
def test_gangs_that_are_tried_in_vain_are_named_if_gangs_behind_are_therefore_not_tried(count):
    """In each pool, the first gang would delay the second. Many other gangs wait, so a whole plan finds this out."""
    nodes, gangs, runs = [], [], [running("a", 2 * count)]
    for number in range(count):
        labels = {"pool": f"p{number}"}
        nodes += [node(f"n{number}a", labels=labels), node(f"n{number}b", free=0, labels=labels)]
        pair = hot("first", size=2, created=1, serial=100), gang("second", priority=5, created=2)
        gangs += of_pool(f"p{number}", *pair, tenant=f"team{number}")
        runs.append(running(f"r{number}", 2 * number + 1))
    nodes += [node("y", free=0, labels={"pool": "y"}), node("z", free=0, labels={"pool": "z"})]
    gangs += [*of_pool("y", hot("behind", created=3)), *of_pool("z", *crowd(300, may_preempt=False))]
    facts = {"runs": runs, "releases": [release(2 * count + 1, NOW + 5000)]}
    snap = snapshot(nodes, gangs, **facts)

    found = preempt(snap, plan(snap))
    resting = [replace(one, may_preempt=one.may_preempt and one.key not in found.in_vain) for one in gangs]

    assert [one.gang.name for one in found.preemptions] == (["behind"] if count == 3 else [])
    assert len(found.in_vain) == min(count, preempting.MOST_PREEMPTIONS)
    assert {one.name for one in found.in_vain} == {"first"}
    if count == 4:
        assert preempted(nodes, resting, **facts) == {"behind": ["a"]}


def test_budget_forbids_a_victim():
    runs = [running("a", 0, disrupts=[(0, 1)]), running("b", 1, since=NOW - 900)]

    assert preempted(gangs=[hot()], runs=runs, budgets=(0,)) == {"hot": ["b"]}


def test_budget_counts_the_pods_of_all_victims():
    runs = [running(name, index, disrupts=[(0, 1)]) for index, name in enumerate("abc")]

    assert preempted(gangs=[hot(size=2)], runs=runs, budgets=(1,)) == {}
    assert preempted(gangs=[hot(size=2)], runs=runs, budgets=(2,)) == {"hot": ["a", "b"]}


def test_several_gangs_may_preempt_in_one_plan():
    runs = [running(name, index) for index, name in enumerate("abc")]

    assert preempted(gangs=[hot("h1", created=1), hot("h2", created=2)], runs=runs) == {"h1": ["a"], "h2": ["b"]}


def test_plan_keeps_the_room_for_the_gang_that_it_is_made_for():
    snap = snapshot(
        [node("n1", free=0)],
        [hot(serial=100), gang("cold", priority=0, serial=10)],
        runs=[running("a", 0, grace=20)],
    )

    starts = {one.gang.name: one.start for one in preempt(snap, plan(snap)).plan.decisions}

    assert starts == {"hot": NOW + 20, "cold": NOW + 120}


def with_slack(nodes, gangs, **facts):
    return replace(snapshot(nodes, gangs, **facts), promises=Promises.SLACK)


def test_with_slack_a_shorter_gang_does_not_take_the_room_that_a_victim_leaves():
    # Otherwise long would have to wait for short, and a second gang would be evicted for it.
    long, short = hot("long", created=1, serial=10_000), gang("short", priority=5, created=2, serial=100)
    snap = with_slack(FULL[:2], [long, short], runs=[running("a", 0, grace=60), running("b", 1, grace=60)])

    after = preempt(snap, plan(snap))

    assert [[victim.name for victim in one.victims] for one in after.preemptions] == [["a"]]
    assert {one.gang.name: one.start for one in after.plan.decisions} == {"long": NOW + 60, "short": NOW + 10_060}


@pytest.mark.parametrize("promised", [math.inf, NOW + 5000])
def test_with_slack_no_shorter_gang_passes_one_while_others_give_way_to_it_or_after_that(promised):
    long = hot("long", created=1, serial=10_000, awaits=NOW + 60, promised=promised)
    short = gang("short", priority=5, created=2, serial=100)
    ending = with_slack(FULL[:1], [long, short], releases=[release(0, NOW + 60)])

    made = plan(ending)
    freed = replace(
        with_slack([node("n1")], [replace(long, awaits=-math.inf), short], now=NOW + 10), nodes=ending.nodes
    )
    after = plan(remembering(freed, ending, made))

    assert {one.gang.name: one.start for one in made.decisions} == {"long": NOW + 60, "short": NOW + 10_060}
    assert {one.gang.name: one.promised for one in made.decisions}["long"] == NOW + 60
    assert {one.gang.name: one.start for one in after.decisions} == {"long": NOW + 10, "short": NOW + 10_010}


def test_eviction_promises_nothing_to_gangs_without_a_promise():
    waits = gang("waits", created=1)
    ending = release(1, NOW + 500)
    snap = with_slack(FULL[:2], [hot(serial=100), waits], runs=[running("a", 0)], releases=[ending])

    after = preempt(snap, plan(snap))

    assert [one.gang.name for one in after.preemptions] == ["hot"]
    assert {one.gang.name: one.promised for one in after.plan.decisions}["waits"] is None


def test_gang_behind_does_not_start_on_what_is_needed_for_the_one_in_front():
    nodes = [node("n1", free=1), node("n2", free=0)]
    snap = snapshot(nodes, [hot(size=2, serial=100), gang("cold", serial=200)], runs=[running("a", 1, grace=20)])
    made = plan(snap)

    after = preempt(snap, made)

    assert {one.gang.name: one.start for one in made.decisions if isinstance(one, Placement)} == {"cold": NOW}
    assert {one.gang.name: one.start for one in after.plan.decisions} == {"hot": NOW + 20, "cold": NOW + 70}


@pytest.mark.parametrize("most_exact", [10, 0])
def test_many_candidates_leave_no_victim_that_could_be_spared(monkeypatch, most_exact):
    monkeypatch.setattr(sets, "MOST_EXACT", most_exact)
    nodes = [node(f"n{index}", free=0) for index in range(9)]
    runs = [running(f"r{index}", index, since=NOW - index - 1) for index in range(8)]
    runs.append(running("large", *range(8, 9), size=1, since=NOW - 50))

    assert preempted(nodes, [hot(size=3)], runs=runs) == {"hot": ["r0", "r1", "r2"]}


def test_many_candidates_pay_for_gangs_in_front_too(monkeypatch):
    monkeypatch.setattr(sets, "MOST_EXACT", 0)
    runs = [running(name, index) for index, name in enumerate("abc")]

    assert preempted(gangs=[gang("front", priority=9), hot()], runs=runs) == {"hot": ["a", "b"]}


def test_search_gives_up_where_it_would_take_too_long(monkeypatch):
    monkeypatch.setattr(preempting, "MOST_PLANNED", 1)

    assert preempted(gangs=[hot()], runs=[running("a", 0)]) == {}


@pytest.mark.parametrize("hopeless", [1, 12])
@pytest.mark.parametrize(
    ("others", "tenant"),
    [
        pytest.param({"free": 0}, "default", id="that would not fit on empty nodes"),
        pytest.param({"free": 0, "someday": (1,)}, "team", id="of another tenant, beside pods that stay"),
    ],
)
def test_gangs_for_which_no_gang_can_give_way_leave_some_effort_to_others(hopeless, others, tenant):
    # Each of them needs a whole zone. In each zone, one node has pods that no eviction ends.
    nodes = [node(f"n{index:02d}", labels={"zone": f"z{index // 3}"}, **others) for index in range(12)]
    runs = [running(f"r{index:02d}", index) for index in range(12) if index % 3]
    zones = [hot(f"zone{index:02d}", size=3, created=float(index), terms=[together("")]) for index in range(hopeless)]
    zones = [replace(one, key=GangKey(tenant, one.key.name)) for one in zones]

    assert list(preempted(nodes, [*zones, hot(created=100.0)], runs=runs)) == ["hot"]


def test_all_roles_of_a_gang_find_their_room():
    fast = Constraints(node_selector=(("kind", "fast"),))
    nodes = [node("n1", free=0, labels={"kind": "fast"}), node("n2", free=0), node("n3", free=0)]
    runs = [running("a", 0), running("b", 1, since=NOW - 1), running("c", 2, since=NOW - 2)]
    roles = [role("launcher", size=1, constraints=fast, load=Load.NONE), role("workers", size=1)]

    assert preempted(nodes, [hot(roles=roles)], runs=runs) == {"hot": ["a", "b"]}


def test_gang_for_which_many_combinations_are_tried_is_planned_less_often(monkeypatch):
    planned = []

    def plan_and_count(snap, **more):
        planned.append(snap)
        return made_of(snap, **more)

    made_of = landing.plan_and_count
    monkeypatch.setattr(landing, "plan_and_count", plan_and_count)
    nodes = [node(f"n{index}", free=0, labels={"rack": str(index % 2)}) for index in range(8)]
    nodes.append(node("n8", free=0, someday=(1,), labels={"rack": "of pods that stay"}))
    runs = [running(f"r{index}", index) for index in range(8)]
    crowd = hot(roles=[role("a", size=3), role("b")], terms=[apart("a", key="rack")])

    assert preempted(nodes, [crowd], runs=runs) == {}
    often = len(planned)
    planned.clear()
    monkeypatch.setattr(effort, "LEAST_COMBINATIONS", 1)
    monkeypatch.setattr(landing, "LEAST_COMBINATIONS", 1)
    assert preempted(nodes, [crowd], runs=runs) == {}

    assert 0 < len(planned) < often / 2
