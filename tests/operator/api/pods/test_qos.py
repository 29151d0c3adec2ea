"""Which pods are of the class Guaranteed, by their spec."""

import pytest

from builders.served import container
from lockstep.api.pods.qos import is_guaranteed

BOTH = {"cpu": "2", "memory": "1Gi"}
SAME = container(requests=BOTH, limits=BOTH)


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        pytest.param({"containers": [SAME]}, True, id="requests are limits"),
        pytest.param({"containers": [container(limits=BOTH)]}, True, id="limits alone"),
        pytest.param(
            {"containers": [container(requests={"cpu": 2, "memory": "1024Mi"}, limits=BOTH)]},
            True,
            id="spelled otherwise",
        ),
        pytest.param({"containers": [SAME], "initContainers": [SAME]}, True, id="init containers too"),
        pytest.param({"containers": [SAME, container()]}, False, id="a container without amounts"),
        pytest.param(
            {"containers": [SAME], "initContainers": [container()]}, False, id="an init container without any"
        ),
        pytest.param({"containers": [container(requests=BOTH)]}, False, id="requests alone"),
        pytest.param({"containers": [container(requests={"cpu": "1"}, limits=BOTH)]}, False, id="less than the limit"),
        pytest.param({"containers": [container(limits={"cpu": "2"})]}, False, id="cpu alone"),
        pytest.param({"containers": [SAME], "resources": {"requests": BOTH}}, False, id="amounts of the whole pod"),
    ],
)
def test_class_guaranteed(spec, want):
    assert is_guaranteed(spec) is want
