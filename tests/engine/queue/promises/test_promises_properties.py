"""What holds in any history of a queue, whatever is promised."""

import math
from dataclasses import replace

import pytest

from coschedule.queue.keeping.memory import remembering
from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.promise_kinds import Promises
from engine.builders import NOW, gang, node, release, seeded, snapshot
from engine.queue.promises.histories import History, live, random_gang, random_nodes
from engine.queue.soundness import assert_never_too_much

SEEDS = range(6)
KEPT = [Promises.SLACK, Promises.CONSERVATIVE]


def history_of(seed, promises, **late):
    rnd = seeded(seed)
    return History(random_nodes(rnd), promises, **late), rnd


@pytest.mark.parametrize("promises", Promises)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_gang_runs_and_no_node_is_taken_twice(seed, promises):
    history, rnd = history_of(seed, promises)
    for facts, made in live(history, rnd):
        gangs = {gang.key: gang for gang in facts.gangs}
        placements = [one for one in made.decisions if isinstance(one, Placement)]
        assert {one.gang for one in made.decisions} == gangs.keys()
        claiming = placements if promises in KEPT else [one for one in placements if one.start <= facts.now]
        assert_never_too_much(facts, claiming, gangs)
    assert len(history.started) == 14


@pytest.mark.parametrize("promises", KEPT)
@pytest.mark.parametrize("seed", SEEDS)
def test_promises_are_kept_and_never_moved_later(seed, promises):
    history, rnd = history_of(seed, promises)
    for _ in live(history, rnd):
        pass

    assert history.promised
    for name, given in history.promised.items():
        assert given == sorted(given, reverse=True)
        assert history.started[name] <= given[0]


@pytest.mark.parametrize("promises", Promises)
@pytest.mark.parametrize("seed", SEEDS)
def test_same_facts_give_the_same_plan_whatever_their_order(seed, promises):
    history, rnd = history_of(seed, promises)
    for facts, made in live(history, rnd):
        gangs = list(facts.gangs)
        rnd.shuffle(gangs)
        again = plan(replace(facts, gangs=tuple(gangs)))
        assert {one.gang: one for one in again.decisions} == {one.gang: one for one in made.decisions}


@pytest.mark.parametrize("promises", KEPT)
@pytest.mark.parametrize("seed", SEEDS)
def test_gang_that_goes_delays_no_other_beyond_a_promise(seed, promises):
    history, rnd = history_of(seed, promises)
    for facts, _ in live(history, rnd):
        if facts.gangs:
            gone = rnd.choice(facts.gangs)
            made = plan(replace(facts, gangs=tuple(one for one in facts.gangs if one is not gone)))
            promised = {gang.key: gang.promised for gang in facts.gangs}
            assert all(one.start <= promised[one.gang] for one in made.decisions)


@pytest.mark.parametrize("seed", SEEDS)
def test_gang_that_comes_delays_no_other_beyond_a_promise(seed):
    history, rnd = history_of(seed, Promises.SLACK)
    for facts, _ in live(history, rnd):
        newcomer = random_gang(rnd, 99)
        made = plan(replace(facts, gangs=(*facts.gangs, newcomer)))
        promised = {gang.key: gang.promised for gang in facts.gangs}
        assert all(one.start <= promised.get(one.gang, math.inf) for one in made.decisions)


@pytest.mark.parametrize("seed", SEEDS)
def test_overruns_cost_no_gang_its_run_and_no_node_too_much(seed):
    rnd = seeded(seed)
    late = {f"g{number:02}": rnd.choice([0.0, 0.0, 50.0]) for number in range(14)}
    history = History(random_nodes(rnd), Promises.SLACK, late=late.__getitem__)
    for facts, made in live(history, rnd):
        gangs = {gang.key: gang for gang in facts.gangs}
        assert_never_too_much(facts, made.decisions, gangs)
    assert len(history.started) == 14


@pytest.mark.parametrize("seed", SEEDS)
def test_no_gang_in_front_is_delayed_by_one_behind_under_easy(seed):
    history, rnd = history_of(seed, Promises.EASY)
    for facts, made in live(history, rnd):
        waiting = [one for one in made.decisions if one.start > facts.now]
        if waiting:
            first = waiting[0]
            in_front = [one.gang for one in made.decisions[: made.decisions.index(first) + 1]]
            alone = plan(replace(facts, gangs=tuple(one for one in facts.gangs if one.key in in_front)))
            assert alone.decisions[-1] == first


def test_more_urgent_gangs_never_wait_for_others():
    nodes, ends = [node("n0", free=0)], (release(0, NOW + 10),)
    before = replace(snapshot(nodes, [gang("a", size=1, times=[30])], releases=ends), promises=Promises.SLACK)
    urgent = gang("urgent", size=1, times=[100], priority=1, created=NOW)
    both = replace(snapshot(nodes, [*before.gangs, urgent], releases=ends), promises=Promises.SLACK)
    first, second = plan(remembering(both, before, plan(before))).decisions

    assert (first.gang.name, first.start) == ("urgent", NOW + 10)
    assert (second.start, second.promised) == (NOW + 110, NOW + 120)
