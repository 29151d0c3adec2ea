"""Amounts of a template that no plan can be made with are refused with the field that holds them."""

import pytest

from builders.served import container, gang
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.facts.reasons import Reason


def template(**resources):
    return {"containers": [container(), container("second", **resources)]}


@pytest.mark.parametrize(
    ("pod_spec", "want"),
    [
        pytest.param(
            template(requests={"cpu": "-1"}),
            "template.spec.containers[1].resources.requests.cpu: -1 is below 0.",
            id="below nothing",
        ),
        pytest.param(
            template(requests={"cpu": "9300000000000000"}),
            "template.spec.containers[1].resources.requests.cpu: "
            "9300000000000000 is more than 562949953421312 thousandths of a core.",
            id="more CPUs than are counted",
        ),
        pytest.param(
            template(limits={"memory": "1e1000000"}),
            "template.spec.containers[1].resources.limits.memory: "
            "1e1000000 is more than 562949953421312 bytes or units.",
            id="a number of a million digits",
        ),
        pytest.param(
            template(requests={"memory": "lots"}),
            "template.spec.containers[1].resources.requests.memory: lots is not a quantity.",
            id="no quantity",
        ),
        pytest.param(
            {"initContainers": [container("i", requests={"memory": 10**30})]},
            "template.spec.initContainers[0].resources.requests.memory: "
            f"{10**30} is more than 562949953421312 bytes or units.",
            id="in an init container",
        ),
        pytest.param({"overhead": {"cpu": "-1m"}}, "template.spec.overhead.cpu: -1m is below 0.", id="in the overhead"),
        pytest.param(
            {"resources": {"requests": {"memory": "1e30"}}},
            "template.spec.resources.requests.memory: 1e30 is more than 562949953421312 bytes or units.",
            id="of the pod as a whole",
        ),
    ],
)
def test_gang_is_refused_with_the_field(pod_spec, want):
    fact = parse_gang(gang("g", pod_spec=pod_spec), None)

    assert fact.spec is None
    assert (fact.refusal.reason, fact.refusal.message) == (Reason.INVALID_SPEC, want)


def test_largest_amount_can_be_planned():
    fact = parse_gang(gang("g", pod_spec=template(requests={"memory": "512Ti"})), None)

    assert dict(fact.spec.roles[0].request)["memory"] == 2**49
