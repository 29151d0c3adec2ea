"""Whatever gangs come, no promise to a gang of their priority breaks while its place is still possible."""

import math
from dataclasses import replace

import pytest

from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import Load
from coschedule.queue.problem.promise_kinds import Promises
from engine.builders import NOW, gang, node, role, seeded
from engine.queue.promises.histories import NODES, History
from engine.queue.shares.shared_histories import SharedHistory, shares

PROMISING = [Promises.SLACK, Promises.CONSERVATIVE, Promises.EASY]
EVENTS = 8


def random_history(rnd, promises, *, is_shared):
    """Describe nodes of some speeds, some of which open later or close."""
    speeds = rnd.choice([[1.0], [1.0, 1.25, 2.0]])
    nodes = [
        node(
            f"n{number}",
            free=rnd.choice([1, 1, 2]),
            slowdown=rnd.choice(speeds),
            start=NOW + rnd.choice([-math.inf, -math.inf, -math.inf, 5, 40]),
            until=NOW + rnd.choice([math.inf, math.inf, math.inf, 150, 400]),
        )
        for number in range(NODES)
    ]
    if not is_shared:
        return History(nodes, promises)
    return SharedHistory(nodes, shares(("a", 1.0, 90.0), ("b", 4.0, 0.0), capacity=(8,)), promises)


def random_gang(rnd, number, now):
    """Describe a gang: many have a deadline, some two roles, and some an unknown run time."""
    least = rnd.choice([1, 1, 2, 3])
    most = least * rnd.choice([1, 2])
    roles = [role("one", load=Load.NONE), role("many", size=least, most=most)] if rnd.random() < 0.15 else []
    return gang(
        f"g{number:02}",
        serial=rnd.choice([None, 8, 8, 30, 30, 120, 120, 400, 400]),
        per_member=rnd.choice([0, 1]),
        deadline=rnd.choice([None, None, now + rnd.choice([20, 60, 120, 300])]),
        member_price=rnd.choice([0.0, 0.25, 1.0]),
        **({"roles": roles} if roles else {"size": least, "most": most}),
    )


def assert_no_promise_breaks(facts, made):
    decisions = {one.gang: one for one in made.decisions}
    for one in facts.gangs:
        decision = decisions[one.key]
        if one.promised < math.inf:
            assert isinstance(decision, Placement)
            assert not one.is_late_at(decision.start)


@pytest.mark.parametrize("is_shared", [False, True], ids=["one group", "groups"])
@pytest.mark.parametrize("promises", PROMISING)
@pytest.mark.parametrize("seed", range(12))
def test_gangs_that_come_break_no_promise(seed, promises, is_shared):
    rnd = seeded(seed)
    history = random_history(rnd, promises, is_shared=is_shared)
    for event in range(EVENTS):
        for number in range(rnd.choice([0, 1, 2, 4])):
            history.submit(random_gang(rnd, 10 * event + number, history.now))
        facts, made = history.decide()
        assert_no_promise_breaks(facts, made)

        older = [replace(random_gang(rnd, 90 + number, facts.now), queued_since=NOW - 9) for number in range(3)]
        with_older = replace(facts, gangs=(*facts.gangs, *older))
        assert_no_promise_breaks(facts, plan(with_older))

        starts = [one.start for one in made.decisions if isinstance(one, Placement) and one.start > facts.now]
        history.go_to(min([facts.now + rnd.choice([1.0, 5.0, 20.0, 60.0]), *starts]))
