"""What admission changes, in words."""

import pytest

from builders.facts import needs
from coschedule import NodeTerm, Requirement, Toleration
from lockstep.facts.cluster.volume import ClaimUse
from lockstep.facts.pods.pod import PodAffinity, PodTerm, WrittenTerm
from lockstep.report.text.admission import differences

ZONE_A = (NodeTerm((Requirement("zone", "In", ("a",)),), ()),)
GPU = Toleration("gpu", "Equal", "yes", "NoSchedule")
NOTHING = needs()
NEAR = PodAffinity((WrittenTerm(PodTerm("zone", (), (), None)),))


@pytest.mark.parametrize(
    ("planned", "admitted", "want"),
    [
        pytest.param(NOTHING, NOTHING, "", id="nothing"),
        pytest.param(NOTHING, needs(cpu=250), "cpu 250m instead of none", id="a request"),
        pytest.param(needs(cpu=4000), needs(cpu=2000), "cpu 2 instead of 4", id="a smaller request"),
        pytest.param(needs(memory=2**30), needs(memory=3 * 2**20), "memory 3Mi instead of 1Gi", id="memory"),
        pytest.param(NOTHING, needs(memory=1001), "memory 1001 instead of none", id="an odd number of bytes"),
        pytest.param(
            NOTHING, needs(**{"host port TCP 80": 1}), "host port TCP 80 taken instead of none", id="a host port"
        ),
        pytest.param(NOTHING, needs(selector=(("a", "b"),)), "node selector a=b instead of none", id="a selector"),
        pytest.param(needs(selector=(("a", "b"),)), NOTHING, "no node selector a=b", id="a selector less"),
        pytest.param(NOTHING, needs(affinity=ZONE_A), "another node affinity", id="an affinity"),
        pytest.param(NOTHING, NOTHING._replace(pod_affinity=NEAR), "another pod affinity", id="an affinity to pods"),
        pytest.param(
            NOTHING,
            needs(tolerations=(GPU,)),
            "a toleration of gpu=yes:NoSchedule instead of none",
            id="a toleration",
        ),
        pytest.param(
            needs(tolerations=(Toleration("", "Exists", "", ""),)),
            NOTHING,
            "no toleration of any taint",
            id="a toleration less",
        ),
        pytest.param(
            NOTHING, needs(claims=[ClaimUse("volumes[0]", "data")]), "claim data instead of none", id="a claim"
        ),
    ],
)
def test_differences_in_words(planned, admitted, want):
    assert differences(planned, admitted) == want
