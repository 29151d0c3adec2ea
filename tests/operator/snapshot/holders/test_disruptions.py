"""What PodDisruptionBudgets count of a gang that may give way."""

import pytest

from builders.served import at, budget, gang, owned_by, pod
from lockstep.api.cluster.budget import parse_budget
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.pods.pod import parse_pod
from lockstep.belief.state import State
from lockstep.snapshot.holders.disruptions import disruptions


def running_gang(size=3, **labels):
    """Apply a gang on one node whose members run, with labels besides those of members."""
    state = State(lambda: None)
    status = {
        "attempt": 1,
        "members": [{"node": "n1", "count": size}],
        "reservedAt": at(0),
        "conditions": [],
    }
    fact = parse_gang(gang("g", size=size, status=status), None)
    state.apply_gang(fact)
    for rank in range(size):
        member = owned_by("g", rank=rank)
        member["labels"] |= labels
        state.apply_pod(parse_pod(pod(f"g-1-{rank}", node="n1", phase="Running", **member)))
    return state, fact


def counted(state, fact):
    """How many members each budget counts, by name."""
    counts = disruptions(state, fact, state.reservations[fact.key])
    return {one.key.name: count for one, count in counts.items()}


@pytest.mark.parametrize(
    ("expression", "want"),
    [
        pytest.param({"key": "lockstep.dev/gang", "operator": "In", "values": ["g"]}, 3, id="its gang"),
        pytest.param({"key": "lockstep.dev/gang", "operator": "NotIn", "values": ["g"]}, 0, id="other gangs"),
        pytest.param({"key": "lockstep.dev/rank", "operator": "In", "values": ["1"]}, 3, id="a rank counts as all"),
        pytest.param({"key": "lockstep.dev/rank", "operator": "NotIn", "values": ["1"]}, 3, id="so do all but one"),
        pytest.param({"key": "lockstep.dev/rank", "operator": "Exists"}, 3, id="all that have a rank"),
        pytest.param({"key": "lockstep.dev/rank", "operator": "DoesNotExist"}, 0, id="none that has a rank"),
    ],
)
def test_budget_counts_members(expression, want):
    state, fact = running_gang()

    state.budgets.apply(parse_budget(budget(selector={"matchExpressions": [expression]})))

    assert counted(state, fact).get("budget", 0) == want


def test_budget_counts_members_by_what_their_labels_are_not_by_what_their_template_says():
    state, fact = running_gang(**{"added-by": "admission"})

    state.budgets.apply(parse_budget(budget(selector={"matchLabels": {"added-by": "admission"}})))

    assert counted(state, fact) == {"budget": 3}


def test_as_many_budgets_as_members_are_read_once_for_members_that_are_alike(monkeypatch):
    state, fact = running_gang(size=500)
    for number in range(100):
        state.budgets.apply(parse_budget(budget(f"b{number}", selector={"matchLabels": {"app": str(number)}})))
    asked = []
    protecting = state.budgets.protecting
    monkeypatch.setattr(state.budgets, "protecting", lambda *args: asked.append(args) or protecting(*args))

    assert counted(state, fact) == {}

    assert len(asked) == 1


def test_members_that_are_all_labelled_differently_count_against_every_budget(monkeypatch):
    state, fact = running_gang(size=101)
    for rank in range(101):
        member = owned_by("g", rank=rank)
        member["labels"] |= {"mine": str(rank)}
        state.apply_pod(parse_pod(pod(f"g-1-{rank}", node="n1", phase="Running", **member)))
    for number in range(100):
        state.budgets.apply(parse_budget(budget(f"b{number}", selector={"matchLabels": {"app": str(number)}})))
    monkeypatch.setattr(state.budgets, "protecting", lambda *_: pytest.fail("that would take long"))

    assert counted(state, fact) == {f"b{number}": 101 for number in range(100)}
