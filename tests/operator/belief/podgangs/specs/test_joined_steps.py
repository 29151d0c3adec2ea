"""Later steps that are too many kinds of pods for a plan are joined, so that their owner is placed all the same."""

from dataclasses import replace

import pytest

from builders.facts import needs
from builders.pod_gangs import LARGE, group_of, pod_gang, waiting_pod
from coschedule import Constraints
from coschedule.queue.roles.party import MOST_CELLS
from lockstep.api.pool import ALL_NODES
from lockstep.belief.podgangs.composing import composed
from lockstep.belief.podgangs.specs.joined_steps import PodsOfStep
from lockstep.belief.podgangs.specs.joined_steps import joined as joined_steps
from lockstep.facts.gang.pod_gang import LaterPods

GPU = replace(Constraints(), node_selector=(("gpu", "yes"),))


def step(number, pods=4, *, on_gpus=False, **request):
    asked = needs(**(request or {"cpu": 1000 * (number + 1)}))
    return PodsOfStep(number, asked._replace(constraints=GPU) if on_gpus else asked, pods)


def joined(steps, beside):
    return list(joined_steps(tuple(steps), tuple(beside)))


def combinations(steps):
    found = 1
    for one in steps:
        found *= one.pods + 1
    return found // (max(one.pods for one in steps) + 1)


def test_few_steps_stay_as_they_are():
    steps = [step(number) for number in range(4)]

    assert joined(steps, []) == steps


@pytest.mark.parametrize("pods", [1, 2, 4, 9, 100, 1000])
@pytest.mark.parametrize("beside", [[], [step(0, 1)], [step(0, 30), step(1, 3)]], ids=["alone", "one", "more"])
def test_eight_steps_that_all_differ_are_few_enough_and_as_many_pods(pods, beside):
    found = joined([step(number, pods) for number in range(8)], beside)

    assert combinations([*found, *beside]) <= 2**10 or len(found) == 1
    assert sum(one.pods for one in found) == 8 * pods


def test_room_of_joined_steps_holds_each_of_them():
    steps = [step(0, cpu=1000, memory=9), step(1, cpu=2000, memory=1), *(step(number) for number in range(2, 8))]

    found = joined(steps, [])

    for one in steps:
        assert any(
            all(dict(other.needs.request).get(name, 0) >= amount for name, amount in one.needs.request)
            for other in found
        )


def test_steps_that_waste_least_are_joined_first():
    found = joined([step(0, 20, cpu=1000), step(1, 20, cpu=8000), step(2, 20, cpu=1100)], [step(9, 30)])

    assert [(one.pods, dict(one.needs.request)["cpu"]) for one in found] == [(40, 1100), (20, 8000)]


def test_steps_for_other_nodes_are_never_joined_and_the_last_are_left_out():
    steps = [step(number, 100, on_gpus=number % 2 == 1) for number in range(8)]

    found = joined(steps, [step(9, 100)])

    assert 0 < len({one.needs.constraints for one in found}) <= len(found)
    assert combinations([*found, step(9, 100)]) <= MOST_CELLS
    assert all(one.needs.constraints in (GPU, Constraints()) for one in found)


@pytest.mark.parametrize(("pods", "want"), [(MOST_CELLS // 2 - 1, 1), (MOST_CELLS // 2, 0)])
def test_a_step_is_left_out_where_a_plan_would_refuse_the_gang(pods, want):
    only, first = step(0, pods)._replace(is_tied=True), step(1, 1)._replace(is_tied=True)

    assert len(joined([only], [first])) == want


def test_tied_steps_are_counted_whole():
    steps = [step(number, 40)._replace(is_tied=True) for number in range(2)]

    assert len(joined([one._replace(is_tied=False) for one in steps], [])) == 2
    assert len(joined(steps, [])) == 1


@pytest.mark.parametrize("all_in", ["", "zone"])
def test_gang_of_eight_later_steps_is_no_more_than_a_plan_can_search(all_in):
    later = tuple(LaterPods(4, needs(cpu=1000 * number)) for number in range(1, 9))

    spec = composed(
        pod_gang(1, later=later, all_in=all_in), group_of([waiting_pod("a", its_needs=LARGE)]), ALL_NODES
    ).spec

    roles = [role.sizes.maximum for role in spec.roles]
    assert sum(roles) == 33
    assert combinations([PodsOfStep(0, LARGE, pods) for pods in roles]) <= 2**10
