"""What must hold for any preemption, on clusters too large for exhaustive search."""

import math
from dataclasses import replace

import pytest

from coschedule.queue.plan import plan
from coschedule.queue.preemption import preempt as preempting
from coschedule.queue.preemption.preempt import MOST_PREEMPTIONS, preempt
from coschedule.queue.preemption.worlds import without
from coschedule.queue.problem.decisions import Placement
from engine.builders import NOW, gang, node, running, seeded, snapshot
from engine.queue.soundness import assert_sound

SEEDS = range(16)


@pytest.fixture(autouse=True, params=[512, 8], ids=["much effort", "little effort"])
def effort(request, monkeypatch):
    """With little effort, the gangs behind are compared only in the plan after the choice of victims."""
    monkeypatch.setattr(preempting, "MOST_PLANNED", request.param)


def cluster(rnd, *, nodes=12, gangs=12, runs=16):
    """A cluster most of which is taken."""
    left = [rnd.choice([4, 8]) for _ in range(nodes)]
    holding = [random_running(rnd, index, left) for index in range(runs)]
    return snapshot(
        [node(f"n{index:02}", free=free, slowdown=rnd.choice([1.0, 1.0, 1.5])) for index, free in enumerate(left)],
        [random_gang(rnd, index) for index in range(gangs)],
        runs=[one for one in holding if one.holds],
        budgets=(rnd.randint(0, 4), rnd.randint(0, 2)),
        most_holding=rnd.choice([0, 2]),
    )


def random_running(rnd, index, left):
    holds = []
    for each in sorted(rnd.sample(range(len(left)), rnd.randint(1, 4))):
        count = rnd.randint(0, min(4, left[each]))
        if count:
            left[each] -= count
            holds.append((each, count))
    return running(
        f"r{index:02}",
        *holds,
        priority=rnd.randint(0, 3),
        queued_since=rnd.random(),
        size=sum(count for _, count in holds) or 1,
        since=NOW - 1000 * rnd.random(),
        end=rnd.choice([math.inf, NOW + 500 * rnd.random()]),
        grace=rnd.choice([0, 0, 5, 30, 300]),
        disrupts=[(rnd.randint(0, 1), 1)] if rnd.random() < 0.4 else [],
    )


def random_gang(rnd, index):
    minimum = rnd.choice([1, 2, 4, 8])
    return gang(
        f"g{index:02}",
        size=minimum,
        most=minimum * rnd.choice([1, 2]),
        serial=rnd.choice([None, 100, 400, 1000 * rnd.random() + 1]),
        request=(rnd.randint(1, 2),),
        priority=rnd.randint(0, 4),
        created=rnd.random(),
        deadline=rnd.choice([None, None, None, NOW + 500 * rnd.random()]),
        not_before=NOW + rnd.choice([-1, -1, -1, 50]) * rnd.random(),
        may_preempt=rnd.random() < 0.7,
    )


def evicted(snap, preemptions):
    by_key = {one.key: one for one in snap.running}
    return [by_key[victim] for one in preemptions for victim in one.victims]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_gang_of_its_priority_or_above_starts_later_for_a_preemption(seed, monkeypatch):
    monkeypatch.setattr(preempting, "MOST_PREEMPTIONS", 1)
    snap = cluster(seeded(seed))
    before = plan(snap)

    after = preempt(snap, before)

    lowest = min((gang.priority for gang in preemptors(snap, after)), default=math.inf)
    starts = starts_in(before)
    for key, start in starts_in(after.plan).items():
        assert priority_of(snap, key) < lowest or start <= starts[key]


@pytest.mark.parametrize("seed", SEEDS)
def test_preemptor_lands_when_its_victims_have_ended(seed):
    snap = cluster(seeded(seed))

    after = preempt(snap, plan(snap))

    assert len(after.preemptions) <= MOST_PREEMPTIONS
    for one in after.preemptions:
        victims = evicted(snap, [one])
        ended = max(math.nextafter(NOW, math.inf), *(victim.gone_by(NOW) for victim in victims))
        assert starts_in(after.plan)[one.gang] <= ended
        assert all(victim.priority < priority_of(snap, one.gang) for victim in victims)
    assert_sound(without(snap, evicted(snap, after.preemptions)), after.plan)


@pytest.mark.parametrize("seed", SEEDS)
def test_budgets_and_gangs_are_used_once(seed):
    snap = cluster(seeded(seed))

    after = preempt(snap, plan(snap))

    victims = evicted(snap, after.preemptions)
    assert len({one.key for one in victims}) == len(victims)
    for budget, allowed in enumerate(snap.budgets):
        assert sum(one.pods for each in victims for one in each.disrupts if one.budget == budget) <= allowed


@pytest.mark.parametrize("seed", SEEDS)
def test_gangs_that_await_their_victims_evict_no_other_in_the_plan_that_follows(seed):
    snap = cluster(seeded(seed), gangs=4)
    first = preempt(snap, plan(snap))
    if not first.preemptions:
        return
    victims = evicted(snap, first.preemptions)
    until = {one.gang: max(victim.gone_by(NOW) for victim in evicted(snap, [one])) for one in first.preemptions}
    gangs = tuple(replace(one, awaits=until.get(one.key, -math.inf)) for one in snap.gangs)
    following = replace(without(snap, victims), gangs=gangs)

    again = preempt(following, plan(following))

    assert not set(until) & {one.gang for one in again.preemptions}


@pytest.mark.parametrize("seed", SEEDS[:15])
def test_order_changes_nothing(seed):
    rnd = seeded(seed)
    snap = cluster(rnd)
    shuffled = replace(
        snap,
        gangs=tuple(rnd.sample(snap.gangs, len(snap.gangs))),
        running=tuple(rnd.sample(snap.running, len(snap.running))),
        releases=tuple(rnd.sample(snap.releases, len(snap.releases))),
    )

    assert preempt(shuffled, plan(shuffled)) == preempt(snap, plan(snap))


def preemptors(snap, after):
    wanted = {one.gang for one in after.preemptions}
    return [gang for gang in snap.gangs if gang.key in wanted]


def priority_of(snap, key):
    return next(gang.priority for gang in snap.gangs if gang.key == key)


def starts_in(made):
    return {one.gang: one.start if isinstance(one, Placement) else math.inf for one in made.decisions}
