"""A gang that makes the planner raise."""

import pytest

from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.plan import plan
from coschedule.queue.problem.refusals import Reason
from engine.builders import FOUR, gang, snapshot


@pytest.mark.parametrize("where", ["_decide", "_masks"])
def test_gang_that_raises_costs_no_other_its_plan(where):
    one, another = gang("one"), gang("another", created=1)
    poison = (
        gang("poison", constraints=Constraints(node_selector=7))
        if where == "_masks"
        else gang("poison", request=(2**80,))
    )
    errors = {}
    made = plan(snapshot(FOUR, [one, poison, another]), rescue=errors.__setitem__)

    assert list(errors) == [poison.key]
    assert [decision for decision in made.decisions if decision.gang != poison.key] == list(
        plan(snapshot(FOUR, [one, another])).decisions
    )
    assert [one.reason for one in made.decisions if one.gang == poison.key] == [Reason.PLANNING_FAILED]


def test_mistake_of_the_planner_is_raised_without_an_observer():
    with pytest.raises(OverflowError):
        plan(snapshot(FOUR, [gang(request=(2**80,))]))
