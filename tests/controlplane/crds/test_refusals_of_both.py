"""The sentences that answer what neither a GangJob nor a Gang may say."""

import pytest

LABEL_KEY = "a label must be named as Kubernetes names labels, such as topology.kubernetes.io/zone."


def spec(**fields):
    return {"spec": fields}


@pytest.mark.parametrize(
    ("patch", "want"),
    [
        pytest.param(
            spec(size={"min": 0}),
            "spec.size.min: Invalid value: 0: spec.size.min in body should be greater than or equal to 1",
            id="min below 1",
        ),
        pytest.param(
            spec(size={"max": 10_001}),
            "spec.size.max: Invalid value: 10001: spec.size.max in body should be less than or equal to 10000",
            id="max above 10,000",
        ),
        pytest.param(
            spec(placement={}),
            "spec.placement: Invalid value: placement must have onePer, allIn or both.",
            id="a placement that says nothing",
        ),
        pytest.param(
            spec(placement={"onePer": "Example.com/rack"}),
            f'spec.placement.onePer: Invalid value: "Example.com/rack": {LABEL_KEY}',
            id="one per something that is no label",
        ),
        pytest.param(
            spec(placement={"allIn": ""}),
            f'spec.placement.allIn: Invalid value: "": {LABEL_KEY}',
            id="all in nothing",
        ),
    ],
)
def test_gangjobs_and_gangs_refuse(answer_to_gang, answer_to_pod_gang, patch, want):
    assert answer_to_gang(patch) == want
    assert answer_to_pod_gang(patch) == want
