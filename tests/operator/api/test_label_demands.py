"""Requirements that are combined by label select what they select one by one."""

import random

import pytest

from builders.selectors import selects_one_by_one
from builders.work import instructions
from coschedule import Requirement
from lockstep.api.label_demands import LabelDemands

KEYS, VALUES = ("a", "b", "c"), ("", "1", "2", "3")
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Like")
MANY = 3_000


def some_requirement(rnd):
    operator = rnd.choice(OPERATORS)
    usual = operator in ("In", "NotIn")
    values = rnd.sample(VALUES, rnd.randint(1, 4)) if usual != (rnd.random() < 0.05) else []
    return Requirement(rnd.choice(KEYS), operator, tuple(values))


@pytest.mark.parametrize("seed", range(8))
def test_requirements_select_the_same_together_and_one_by_one(seed):
    rnd = random.Random(seed)  # noqa: S311 - a case has to come again
    outcomes = set()
    for _ in range(1_500):
        selector = tuple(some_requirement(rnd) for _ in range(rnd.randint(0, 4)))
        labels = {key: rnd.choice(VALUES) for key in (*KEYS, "d", "e", "f") if rnd.random() < 0.6}

        found = LabelDemands(selector).pass_with(labels)

        assert found == selects_one_by_one(selector, labels), (selector, labels)
        outcomes.add((found, len({one.key for one in selector}) <= len(labels)))
    assert len(outcomes) == 4


@pytest.mark.parametrize(
    "selector",
    [
        pytest.param(tuple(Requirement("app", "NotIn", (f"v{one}",)) for one in range(MANY)), id="of one label"),
        pytest.param(tuple(Requirement(f"k{one}", "DoesNotExist", ()) for one in range(MANY)), id="of many labels"),
    ],
)
def test_object_is_tested_by_its_own_labels_however_many_requirements_there_are(selector):
    demands = LabelDemands(selector)

    spent = instructions(lambda: demands.pass_with({"app": "heat", "tier": "front"}))

    assert spent < 200
