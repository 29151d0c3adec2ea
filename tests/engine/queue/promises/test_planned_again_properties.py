"""Planning again is planning from nothing on the same memory, only faster: over random events."""

from dataclasses import replace

import pytest

from coschedule.queue.keeping.memory import remembering
from coschedule.queue.plan import plan
from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.promises import fronts
from engine.builders import NOW, gang, seeded
from engine.queue.promises.from_nothing import planned_from_nothing
from engine.queue.promises.histories import NODES, History, random_gang, random_nodes

GANGS = 24


def eventful(seed):
    """Let gangs come, start, end early and late, and nodes be lost, come back and become slower."""
    rnd = seeded(seed)
    late = {f"g{number:02}": rnd.choice([-4.0, 0.0, 0.0, 50.0]) for number in range(GANGS)}
    history = History(random_nodes(rnd), Promises.SLACK, late=late.__getitem__)
    coming = [random_gang(rnd, number) for number in range(GANGS)]
    while coming or history.running:
        for _ in range(min(len(coming), rnd.choice([0, 1, 6]))):
            history.submit(coming.pop())
        yield history.decide()
        history.go_to(history.now + rnd.choice([1.0, 20.0, 300.0]))
        one = history.nodes[rnd.randrange(NODES)]
        one["ready"] = not one["ready"] if rnd.random() < 0.3 else True
        one["slowdown"] = 1.5 if rnd.random() < 0.1 else one["slowdown"]


@pytest.mark.parametrize("front", [2, 16], ids=["two choose anew", "all choose anew"])
@pytest.mark.parametrize("seed", range(5))
def test_plan_after_an_event_is_the_one_from_nothing(seed, front, monkeypatch):
    monkeypatch.setattr(fronts, "FRONT", front)
    for facts, made in eventful(seed):
        assert {one.gang: one for one in made.decisions} == planned_from_nothing(facts, front, monkeypatch)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_remembered_does_not_depend_on_what_is_formatted_already(seed, monkeypatch):
    monkeypatch.setattr(fronts, "FRONT", 2)
    for facts, made in eventful(seed):
        unspelled = tuple(
            one if one.kept is None else replace(one, kept=replace(one.kept, members=())) for one in facts.gangs
        )
        plain = replace(facts, gangs=unspelled)
        again = plan(plain)
        assert again == made
        assert remembering(facts, facts, made).gangs == remembering(plain, plain, again).gangs


@pytest.mark.parametrize("seed", range(5))
def test_gang_behind_every_front_changes_nothing_for_others(seed, monkeypatch):
    monkeypatch.setattr(fronts, "FRONT", 2)
    last = gang("last", size=1, serial=10, created=NOW + 1e6)
    for facts, made in eventful(seed):
        if len(facts.gangs) > 1:
            *others, own = plan(replace(facts, gangs=(*facts.gangs, last))).decisions
            assert (tuple(others), own.gang) == (made.decisions, last.key)


@pytest.mark.parametrize("seed", range(5))
def test_who_may_do_better_is_as_well_off_as_if_it_had_been_planned_again(seed, monkeypatch):
    equal, chosen_anew = [], Planner.chosen_anew

    def compared(planner, one, decision):
        without = planner.fork()
        monkeypatch.setattr(Planner, "_standing", lambda *_: None)
        again = chosen_anew(without, one, decision)
        monkeypatch.undo()
        monkeypatch.setattr(Planner, "chosen_anew", compared)
        made = chosen_anew(planner, one, decision)
        equal.append(without_nodes(made) == without_nodes(again))
        return made

    monkeypatch.setattr(Planner, "chosen_anew", compared)
    for _ in eventful(seed):
        pass

    assert equal
    assert all(equal)


def without_nodes(decision):
    """A decision without its nodes: of equal ones a gang keeps those that it has."""
    assert isinstance(decision, Placement)
    return decision.start, decision.finish, decision.size, decision.alternative
