"""Which runs are expected to take equally long."""

from copy import deepcopy

import pytest

from builders.served import gang, role
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.gangjob.run_template import run_template

ONE = gang("g", size=1, most=4, spec={"work": {"serialTime": "10m"}, "load": "Pieces", "pieces": 8})["spec"]
ROLES = gang("g", roles=[role("a", size=1), role("b", size=2)], spec={"work": {"serialTime": "10m"}})["spec"]


def changed(spec, change):
    other = deepcopy(spec)
    change(other)
    return other


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda spec: spec.update(size={"min": 2, "max": 3}), id="other sizes"),
        pytest.param(lambda spec: spec.update(deadline="1h", priorityClassName="high"), id="other wishes"),
        pytest.param(lambda spec: spec["work"].update(learn=True), id="another way to plan"),
        pytest.param(lambda spec: spec.update(template=dict(reversed(spec["template"].items()))), id="another order"),
    ],
)
def test_runs_of_one_template(change):
    assert run_template(changed(ONE, change)) == run_template(ONE)


@pytest.mark.parametrize(
    ("spec", "change"),
    [
        pytest.param(ONE, lambda spec: spec["work"].update(serialTime="11m"), id="other work"),
        pytest.param(ONE, lambda spec: spec.update(load="Equal"), id="another load"),
        pytest.param(ONE, lambda spec: spec.update(pieces=9), id="other pieces"),
        pytest.param(ONE, lambda spec: spec["template"]["spec"].update(hostNetwork=True), id="another pod"),
        pytest.param(ONE, lambda spec: spec["template"].update(metadata={"annotations": {"a": "b"}}), id="annotated"),
        pytest.param(ROLES, lambda spec: spec["roles"][1].update(load="Proportional"), id="another load of a role"),
        pytest.param(ROLES, lambda spec: spec["roles"][0]["template"]["spec"].clear(), id="another pod of a role"),
        pytest.param(ROLES, lambda spec: spec["roles"].pop(), id="one role less"),
    ],
)
def test_runs_of_others(spec, change):
    assert run_template(changed(spec, change)) != run_template(spec)


@pytest.mark.parametrize("odd", [10**30, "\ud800", None, {"deep": [[[]]]}, 1e308])
def test_whatever_a_template_holds_it_has_a_digest(odd):
    assert len(run_template({"work": {}, "template": odd})) == 32


def test_gang_without_work_has_no_template_to_learn_of():
    assert parse_gang(gang("g"), None).spec.run_template == ""
    assert parse_gang(gang("g", spec={"work": {"serialTime": "1m"}}), None).spec.run_template
