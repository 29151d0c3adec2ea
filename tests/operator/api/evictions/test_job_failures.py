"""Which Jobs would count an evicted pod as failed."""

import pytest

from lockstep.api.evictions.job_failures import counts_evictions
from lockstep.api.podgang.section import FieldError
from lockstep.api.podgang.single_pods import job_of

IGNORES = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


def exits(operator, *values, action="FailJob"):
    return {"action": action, "onExitCodes": {"operator": operator, "values": list(values)}}


def on(action, **pattern):
    return {"action": action, "onPodConditions": [pattern]}


@pytest.mark.parametrize(
    ("rules", "want"),
    [
        pytest.param([], True, id="no rules"),
        pytest.param([IGNORES], False, id="ignored"),
        pytest.param([on("Ignore", type="DisruptionTarget")], False, id="ignored, by the default of the status"),
        pytest.param([on("Ignore", type="DisruptionTarget", status="False")], True, id="another status"),
        pytest.param([on("Ignore", type="Other")], True, id="another condition"),
        pytest.param([exits("In", 42), IGNORES], False, id="a code of the program's own first"),
        pytest.param([exits("In", 42, 143), IGNORES], True, id="the code of a signal first"),
        pytest.param([exits("In", 137), IGNORES], True, id="the code of another signal first"),
        pytest.param([exits("NotIn", 42), IGNORES], True, id="all other codes first"),
        pytest.param([on("Count", type="DisruptionTarget"), IGNORES], True, id="counted first"),
        pytest.param([on("FailJob", type="ConfigIssue"), IGNORES], False, id="another condition first"),
        pytest.param([exits("NotIn", 0, action="Ignore"), IGNORES], False, id="codes that are ignored first"),
        pytest.param([exits("NotIn", 0, action="Ignore")], True, id="codes are ignored, evictions are not"),
        pytest.param([IGNORES, exits("NotIn", 0)], False, id="the first rule decides"),
    ],
)
def test_job_counts_an_eviction_unless_its_policy_ignores_it(rules, want):
    assert counts_evictions({"spec": {"podFailurePolicy": {"rules": rules}}}) is want


def test_job_without_a_policy_counts_evictions():
    assert counts_evictions({"spec": {}})


@pytest.mark.parametrize("policy", [{"rules": {}}, {"rules": ["Ignore"]}, []], ids=["object", "text", "list"])
def test_policy_of_the_wrong_type_is_named(policy):
    with pytest.raises(FieldError, match="podFailurePolicy"):
        counts_evictions({"spec": {"podFailurePolicy": policy}})


@pytest.mark.parametrize(
    ("owner", "want"),
    [
        pytest.param({"apiVersion": "batch/v1", "kind": "Job", "controller": True}, "heat", id="Job"),
        pytest.param({"apiVersion": "batch/v1", "kind": "Job"}, "", id="not in control"),
        pytest.param({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "controller": True}, "", id="another"),
    ],
)
def test_job_of_a_pod(owner, want):
    assert job_of({"ownerReferences": [{"name": "heat", "uid": "u", **owner}]}) == want
