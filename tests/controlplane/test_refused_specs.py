"""Specs that the API accepts and no placement could obey yet: refused with a sentence, not ignored."""

import pytest

from builders.manifests import gang, priority_class

pytestmark = pytest.mark.usefixtures("operator")

TERM = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"lockstep.dev/rank": "0"}}}
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}


@pytest.mark.parametrize(
    ("pod", "field"),
    [
        pytest.param(
            {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]}}},
            "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0] with lockstep.dev/rank",
            id="affinity against a rank",
        ),
        pytest.param(
            {"topologySpreadConstraints": [SPREAD]}, "topologySpreadConstraints[0].whenUnsatisfiable", id="spread"
        ),
        pytest.param(
            {"resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}]}, "resourceClaims", id="resource claims"
        ),
        pytest.param({"schedulerName": "default-scheduler"}, "schedulerName", id="another scheduler"),
    ],
)
def test_field_that_is_not_supported_is_named(arena, pods_seen, pod, field):
    arena.add_nodes(1)

    arena.submit(gang("heat", pod=pod))

    refused = arena.until("heat", "Accepted", "False", "UnsupportedField")
    assert refused["message"].startswith(f"template.spec.{field}: ")
    assert arena.condition("heat", "Planned")["status"] == "False"
    assert pods_seen.ever == {}


def test_refused_spec_is_reported_in_an_event(arena):
    arena.submit(gang("heat", pod={"topologySpreadConstraints": [SPREAD]}))

    [event] = arena.until_events("heat", "InvalidSpec")

    assert event["type"] == "Warning"
    assert "topologySpreadConstraints" in event["note"]


def test_gang_of_unknown_priority_class_lands_when_the_class_appears(arena):
    arena.add_nodes(1)
    name = f"{arena.pool}-urgent"
    arena.submit(gang("heat", priorityClassName=name))
    refused = arena.until("heat", "Accepted", "False", "UnknownPriorityClass")
    assert refused["message"] == f"priorityClassName: there is no PriorityClass {name}."

    arena.create(priority_class(name, 1000))

    arena.until_placed("heat")
    assert arena.condition("heat", "Accepted")["status"] == "True"
    assert {(pod["spec"]["priorityClassName"], pod["spec"]["priority"]) for pod in arena.pods("heat")} == {(name, 1000)}


def test_refused_gang_keeps_no_room_from_others(arena):
    arena.add_nodes(1, cpu="2")
    arena.submit(gang("refused", pod={"topologySpreadConstraints": [SPREAD]}))
    arena.until("refused", "Accepted", "False")

    arena.submit(gang("next"))

    arena.until_placed("next")
