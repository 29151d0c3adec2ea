"""Which fields of a template are refused by name, and which are accepted since they ask for nothing."""

import pytest

from builders.served import gang
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.names import RANK_LABEL
from lockstep.facts.reasons import Reason

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
ANYHOW = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
NEAR = {"topologyKey": "zone", "labelSelector": {}}
SUPPORTED_VOLUMES = [
    {"name": "a", "emptyDir": {}},
    {"name": "b", "configMap": {"name": "c"}},
    {"name": "d", "hostPath": {"path": "/"}},
]


def parse(pod_spec):
    return parse_gang(gang("g", pod_spec=pod_spec), None)


@pytest.mark.parametrize(
    ("pod_spec", "want_field"),
    [
        pytest.param(
            {"affinity": {"podAffinity": {REQUIRED: [NEAR, {**NEAR, "matchLabelKeys": [RANK_LABEL]}]}}},
            f"affinity.podAffinity.{REQUIRED}[1] with {RANK_LABEL}",
            id="affinity to a rank",
        ),
        pytest.param(
            {
                "affinity": {
                    "podAntiAffinity": {REQUIRED: [{**NEAR, "labelSelector": {"matchLabels": {RANK_LABEL: "0"}}}]}
                }
            },
            f"affinity.podAntiAffinity.{REQUIRED}[0] with {RANK_LABEL}",
            id="affinity against a rank",
        ),
        pytest.param(
            {"topologySpreadConstraints": [ANYHOW, {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}]},
            "topologySpreadConstraints[1].whenUnsatisfiable",
            id="spread",
        ),
        pytest.param({"resourceClaims": [{"name": "gpu"}]}, "resourceClaims", id="resource claims"),
        pytest.param({"nodeName": "n1"}, "nodeName", id="a node of its own"),
        pytest.param({"schedulingGates": [{"name": "g"}]}, "schedulingGates", id="gates"),
        pytest.param({"schedulingGroup": {"podGroupName": "g"}}, "schedulingGroup", id="another gang"),
        pytest.param({"schedulerName": "default-scheduler"}, "schedulerName", id="another scheduler"),
    ],
)
def test_unsupported_field_is_refused_by_name(pod_spec, want_field):
    fact = parse(pod_spec)

    assert fact.spec is None
    assert fact.refusal.reason == Reason.UNSUPPORTED_FIELD
    assert fact.refusal.message.startswith(f"template.spec.{want_field}: ")
    assert fact.refusal.message.endswith(".")


def test_name_of_another_scheduler_is_answered_with_what_to_write():
    refusal = parse({"schedulerName": "default-scheduler"}).refusal

    assert refusal.message == (
        "template.spec.schedulerName: write lockstep, or leave the field out: "
        "Lockstep places the members, not default-scheduler."
    )


@pytest.mark.parametrize(
    "pod_spec",
    [
        pytest.param({"volumes": SUPPORTED_VOLUMES}, id="volumes without a claim"),
        pytest.param({"affinity": {"podAffinity": {}}}, id="an empty pod affinity"),
        pytest.param({"affinity": {"podAntiAffinity": {PREFERRED: [{}]}}}, id="a preference among pods"),
        pytest.param({"topologySpreadConstraints": [ANYHOW]}, id="a spread that may be ignored"),
        pytest.param({"topologySpreadConstraints": []}, id="no spread constraint"),
        pytest.param({"schedulerName": "lockstep"}, id="our own scheduler's name"),
        pytest.param({"affinity": None, "volumes": None, "tolerations": None}, id="nulls"),
    ],
)
def test_field_that_asks_for_nothing_is_accepted(pod_spec):
    assert parse(pod_spec).refusal is None
