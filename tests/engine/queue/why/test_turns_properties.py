"""A gang's turn in a plan that was made: what is chosen again then is what was decided."""

from dataclasses import replace

import numpy as np
import pytest

from coschedule.queue.keeping.memory import remembering
from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.slots.timeline import Claim
from coschedule.queue.why.by_size import best_by_size, sizes_of
from coschedule.queue.why.following import decision_of, turn_of
from coschedule.queue.why.last_to_have_room import last_to_have_room
from engine.builders import NOW, gang, node, release, seeded, snapshot
from engine.queue.test_plan_properties import cluster


@pytest.mark.parametrize("promises", list(Promises))
@pytest.mark.parametrize("seed", range(6))
def test_gang_would_choose_again_what_it_was_given(seed, promises):
    snap = replace(cluster(seeded(seed), nodes=12, gangs=14), promises=promises, most_holding=2)
    made = plan(snap)

    for decision in made.decisions:
        turn = turn_of(snap, made, decision.gang)
        choice = turn.chooser.choose(turn.by_now)
        assert given(choice) == placed(decision)
        if isinstance(decision, Placement):
            assert last_to_have_room(turn, decision) == decision.latest


@pytest.mark.parametrize("seed", range(6))
def test_no_size_is_better_than_the_one_that_was_chosen(seed):
    snap = cluster(seeded(seed), nodes=12, gangs=14)
    made = plan(snap)

    for decision in made.decisions:
        asked = next(one for one in snap.gangs if one.key == decision.gang)
        turn = turn_of(snap, made, decision.gang)
        runs = [run for run in best_by_size(turn, sizes_of(turn)) if run is not None]
        if not isinstance(decision, Placement) or asked.deadline is not None:
            continue
        if asked.work is None:
            assert min(run.start for run in runs) == decision.start
        else:
            assert (min(runs).size, min(runs).start, min(runs).finish) == placed(decision)


def test_gang_that_keeps_what_it_had_has_the_turn_that_it_had():
    first = snapshot([node("a"), node("b")], [gang("g", serial=10, size=2), gang("h", serial=10, created=1.0)])
    made = plan(first)
    again = remembering(replace(first, generation=2), first, made)
    kept = plan(again)

    turn = turn_of(again, kept, decision_of(kept, kept.decisions[1].gang).gang)

    assert turn.gang.key.name == "h"
    assert turn.chooser.choose(turn.by_now).outline.start == 1005.0


def test_node_that_was_free_a_moment_before_counts_where_starts_are_in_whole_seconds():
    snap = snapshot([node("a"), node("b", free=0)], [gang("g", size=2, serial=10)], releases=[release(1, NOW + 5.5)])
    [placement] = plan(snap).decisions
    turn = turn_of(snap, plan(snap), placement.gang)
    later = replace(placement, start=NOW + 6)

    assert last_to_have_room(turn, placement) == "b"
    assert last_to_have_room(turn, later) is None
    assert last_to_have_room(turn, later, within_seconds=1.0) == "b"


@pytest.mark.parametrize("promises", [Promises.SLACK, Promises.CONSERVATIVE])
@pytest.mark.parametrize("seed", range(3))
def test_what_a_gang_was_given_was_there_at_its_turn_also_where_plans_remember(seed, promises):
    """More gangs wait than are planned anew: some keep what they had, some are moved up at the end."""
    rnd = seeded(seed)
    first = replace(cluster(rnd, nodes=12, gangs=45), promises=promises)
    later = replace(first, now=first.now + 5, free=first.free + rnd.randint(0, 2))
    again = remembering(later, first, plan(first))
    made = plan(again)

    for decision in made.decisions:
        turn = turn_of(again, made, decision.gang)
        if isinstance(decision, Placement):
            assert turn.by_now.now == again.now
            assert all(turn.by_now.has_room_for(claim) for claim in claims_of(turn, decision))


def claims_of(turn, placement):
    """Claim what a placement takes of each node, for all roles together."""
    rank_of = np.argsort(turn.by_now.node)
    requests = {role.name: np.array(role.request) for role in turn.gang.roles}
    taken = {}
    for members in placement.members:
        taken[members.node] = taken.get(members.node, 0) + members.count * requests[members.role]
    for name, request in taken.items():
        rank = rank_of[turn.snapshot.nodes.names.index(name)]
        yield Claim(
            ranks=np.array([rank]),
            counts=np.array([1]),
            request=request,
            start=placement.start,
            finish=placement.finish,
        )


def test_gang_that_is_not_in_the_plan_has_no_turn():
    snap = snapshot([node("a")], [gang("g")])

    with pytest.raises(KeyError):
        turn_of(snap, plan(snap), gang("other").key)


def given(choice):
    return None if choice is None else (choice.outline.size, choice.outline.start, choice.outline.finish)


def placed(decision):
    return (decision.size, decision.start, decision.finish) if isinstance(decision, Placement) else None
