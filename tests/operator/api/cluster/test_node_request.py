"""Requests for nodes as a cluster autoscaler reads them, and whatever it writes into them."""

from dataclasses import replace

import pytest

from builders.served import container, gang, role
from lockstep.api.cluster.node_request import (
    parse_answer,
    parse_node_request,
    request_manifest,
    request_name,
    template_manifest,
)
from lockstep.api.common_objects import Owner
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.facts.cluster.node_request import NodesAnswer
from lockstep.facts.reasons import Reason

CLASS = "check-capacity.autoscaling.x-k8s.io"


def fact(name="g", **more):
    return parse_gang(gang(name, **more), None)


def named(one, provisioning_class=CLASS):
    return request_name(one, one.spec, provisioning_class)


def template(one, **pod_spec):
    """The pod template for the first role, where admission makes this of a member."""
    pod = {"metadata": {"labels": {"lockstep.dev/gang": "g"}}, "spec": {"containers": [container()], **pod_spec}}
    return template_manifest(one, "t", one.spec.roles[0], pod)["template"]["spec"]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"size": 3}, id="another size"),
        pytest.param({"cpu": "2"}, id="other members"),
        pytest.param({"uid": "later"}, id="a later gang of the name"),
        pytest.param({"spec": {"placement": {"onePer": "kubernetes.io/hostname"}}}, id="another placement"),
    ],
)
def test_what_asks_for_something_else_has_another_name(other):
    assert named(fact()) == named(fact())
    assert named(fact(**other)) != named(fact())


def test_name_depends_on_the_class_and_not_on_the_largest_size():
    assert named(fact(), "another") != named(fact())
    assert named(fact(most=9)) == named(fact())


def test_longest_name_is_a_label_of_dns():
    assert len(named(replace(fact(), key=fact("x" * 52).key))) == 63


def test_request_counts_the_fewest_members_of_each_role():
    one = fact(roles=[role("head"), role("hand", size=3, most=7)])

    sets = request_manifest(one, "r", CLASS)["spec"]["podSets"]

    assert sets == [
        {"podTemplateRef": {"name": "r-0"}, "count": 1},
        {"podTemplateRef": {"name": "r-1"}, "count": 3},
    ]


PROFILE = {"work": {"profile": [{"members": 5, "time": "1h"}, {"members": 16, "time": "30m"}]}}


def elastic(size, **more):
    return {"elastic": {"mode": "Restart", "size": size}, **more}


@pytest.mark.parametrize(
    ("asked", "want"),
    [
        pytest.param({"spec": {"size": {"min": 1, "max": 64, "multipleOf": 8}}}, [8], id="a multiple"),
        pytest.param({"spec": {"size": {"allowed": [4, 2, 8]}}}, [2], id="one of a list"),
        pytest.param({"size": 1, "most": 16, "spec": PROFILE}, [5], id="a size that was measured"),
        pytest.param(
            {"roles": [role("head"), role("hand", most=9)], "spec": PROFILE}, [1, 4], id="beside another role"
        ),
        pytest.param({"size": 1, "most": 16, "spec": elastic(6)}, [6], id="a size that the user chose"),
        pytest.param(
            {"size": 1, "most": 16, "spec": elastic(6), "status": {"attempt": 1}},
            [1],
            id="any size after the first start",
        ),
    ],
)
def test_request_counts_members_with_which_the_gang_can_start(asked, want):
    sets = request_manifest(fact(**asked), "r", CLASS)["spec"]["podSets"]

    assert [one["count"] for one in sets] == want


@pytest.mark.parametrize(
    ("placement", "kind"), [({"onePer": "host"}, "podAntiAffinity"), ({"allIn": "zone"}, "podAffinity")]
)
def test_placement_becomes_affinity_beside_the_pods_own(placement, kind):
    own = {"labelSelector": {}, "topologyKey": "rack"}
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    one = fact(spec={"placement": placement})

    affinity = template(one, affinity={kind: {required: [own]}})["affinity"]

    [label] = placement.values()
    term = {"labelSelector": {"matchLabels": {"lockstep.dev/gang": "g"}}, "topologyKey": label}
    assert affinity == {kind: {required: [own, term]}}


def test_claims_that_come_with_a_member_are_not_asked_for():
    claims = [{"metadata": {"name": "scratch"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}]
    shared = {"name": "shared", "persistentVolumeClaim": {"claimName": "data"}}
    own = {"name": "scratch", "persistentVolumeClaim": {"claimName": "scratch-g-0"}}
    ephemeral = {"name": "fast", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}

    volumes = template(fact(spec={"volumeClaimTemplates": claims}), volumes=[shared, own, ephemeral])["volumes"]

    assert volumes == [shared, {"name": "scratch", "emptyDir": {}}, {"name": "fast", "emptyDir": {}}]


def said(*conditions):
    return {"conditions": [{"type": kind, "status": status, "message": kind} for kind, status in conditions]}


ACCEPTED = ("Accepted", "True")
THERE = ("Provisioned", "True")


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param(None, NodesAnswer(), id="nothing yet"),
        pytest.param(said(ACCEPTED), NodesAnswer(Reason.REQUEST_ACCEPTED, "Accepted"), id="accepted"),
        pytest.param(said(THERE, ACCEPTED), NodesAnswer(Reason.NODES_PROVISIONED, "Provisioned"), id="there"),
        pytest.param(
            said(ACCEPTED, ("Failed", "True")),
            NodesAnswer(Reason.PROVISIONING_FAILED, "Failed", is_over=True),
            id="failed",
        ),
        pytest.param(
            said(THERE, ("BookingExpired", "True")),
            NodesAnswer(Reason.PROVISIONING_FAILED, "BookingExpired", is_over=True),
            id="no longer kept",
        ),
        pytest.param(said(("Provisioned", "False")), NodesAnswer(message="Provisioned"), id="not found yet"),
    ],
)
def test_answer(status, want):
    assert parse_answer(status) == want


@pytest.mark.parametrize(
    "status",
    [
        "Provisioned",
        7,
        [],
        {"conditions": None},
        {"conditions": {"type": "Provisioned"}},
        {"conditions": ["Provisioned", None, 10**30]},
        {"conditions": [{"type": ["Failed"], "status": True, "message": {}}, {}]},
    ],
)
def test_what_makes_no_sense_is_no_answer(status):
    assert parse_answer(status) == NodesAnswer()


@pytest.mark.parametrize("stranger", ["../pods/g-1-0", "x?y", "", "a\nb", "another", "r-1", ["r-0"], 10**30])
def test_templates_are_those_that_we_made(stranger):
    metadata = {"name": "r", "uid": "u", "creationTimestamp": "2026-01-01T10:00:00Z"}
    sets = [{"podTemplateRef": {"name": name}} for name in (stranger, "r-1", stranger)]

    request = parse_node_request({"metadata": metadata, "spec": {"podSets": sets}}, Owner(fact().key, "g-uid"))

    assert request.templates == ("r-1",)


def test_words_are_one_short_line_without_what_terminals_obey():
    message = "no\nnodes\x1b[31m \u202e" + "x" * 100_000

    words = parse_answer({"conditions": [{"type": "Failed", "status": "True", "message": message}]}).message

    assert words.startswith("no nodes[31m xxx")
    assert len(words) == 300
