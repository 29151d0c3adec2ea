"""Pods and templates that list more than is read: not understood, or refused by the field, whatever their size."""

import pytest

from builders.served import gang
from builders.served import pod as pod_manifest
from builders.work import instructions
from lockstep.api.gangjob.role import parse_roles
from lockstep.api.labels import MOST_LABELS
from lockstep.api.pods.pod import parse_pod
from lockstep.api.pods.pod_size import (
    MOST_CONTAINERS,
    MOST_EXCLUSIVE,
    MOST_EXCLUSIVE_OF_ROLE,
    MOST_RESOURCES,
    MOST_VOLUMES,
)
from lockstep.api.pods.pod_terms import MOST_TERMS_OF_ROLE
from lockstep.api.pool import ALL_NODES
from lockstep.api.unreadable.unreadable_objects import read_pod
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.pods.pod import LARGEST_AMOUNT
from lockstep.facts.reasons import Reason

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def containers(count):
    return {"containers": [{"name": f"c{number}"} for number in range(count)]}


def volumes(count):
    return {"containers": [], "volumes": [{"name": f"v{number}", "emptyDir": {}} for number in range(count)]}


def amounts(count):
    requests = {f"example.com/r{number}": "1" for number in range(count)}
    return {"containers": [{"name": "c", "resources": {"requests": requests}}]}


def ports(count):
    return {"containers": [{"name": "c", "ports": [{"containerPort": 1, "hostPort": 1 + one} for one in range(count)]}]}


def monitors(count):
    rbd = {"image": "i", "monitors": [f"m{number}" for number in range(count)]}
    return {"containers": [], "volumes": [{"name": "v", "rbd": rbd}]}


def equal_monitors(count):
    return {"containers": [], "volumes": [{"name": "v", "rbd": {"image": "i", "monitors": ["m"] * count}}]}


def terms(count, kind="podAntiAffinity"):
    apart = [{"labelSelector": {}, "topologyKey": f"t{number}"} for number in range(count)]
    return {"containers": [], "affinity": {kind: {REQUIRED: apart}}}


def refusal_of(template):
    """Why members of that template are refused, if they are: also those of a gang that the schema's bounds let pass."""
    roles = parse_roles(gang("g", spec={"template": template})["spec"], ALL_NODES)
    return roles if isinstance(roles, Refusal) else None


TOO_LONG = [
    pytest.param(containers, MOST_CONTAINERS, "containers: it has 501, and at most 500 can be read", id="containers"),
    pytest.param(volumes, MOST_VOLUMES, "volumes: it has 1001, and at most 1000 can be read", id="volumes"),
    pytest.param(
        amounts, MOST_RESOURCES, "containers[*].resources: it has 2001, and at most 2000 can be read", id="amounts"
    ),
]
EXCLUSIVE = "containers[*].ports, volumes: it has more than {} host ports and disks"


@pytest.mark.parametrize(
    ("spec", "most"),
    [
        *(pytest.param(*one.values[:2], id=one.id) for one in TOO_LONG),
        pytest.param(ports, MOST_EXCLUSIVE, id="host ports"),
        pytest.param(monitors, MOST_EXCLUSIVE, id="monitors of a disk"),
        pytest.param(equal_monitors, MOST_EXCLUSIVE, id="one monitor of a disk, again and again"),
    ],
)
def test_pod_of_others_that_lists_too_much_fills_its_node(spec, most):
    understood = parse_pod(pod_manifest("p", node="n1", spec=spec(most)))
    assert dict(understood.request)["pods"] == 1

    fact = read_pod(pod_manifest("p", node="n1", spec=spec(most + 1)))

    assert fact.request == (("pods", LARGEST_AMOUNT),)
    assert fact.node == "n1"


@pytest.mark.parametrize(
    ("spec", "most", "want"),
    [
        *TOO_LONG,
        pytest.param(ports, MOST_EXCLUSIVE_OF_ROLE, EXCLUSIVE.format(64), id="host ports"),
        pytest.param(monitors, MOST_EXCLUSIVE_OF_ROLE, EXCLUSIVE.format(64), id="monitors of a disk"),
        pytest.param(
            terms,
            MOST_TERMS_OF_ROLE,
            "affinity: podAffinity and podAntiAffinity have 65 required terms. At most 64 are allowed, with at most "
            "10000 keys, values and namespaces",
            id="terms",
        ),
    ],
)
def test_gang_whose_template_lists_too_much_is_refused_by_the_field(spec, most, want):
    assert refusal_of({"spec": spec(most)}) is None

    refusal = refusal_of({"spec": spec(most + 1)})

    assert (refusal.reason, refusal.message) == (Reason.INVALID_SPEC, f"template.spec.{want}.")


def test_gang_whose_members_would_have_too_many_labels_is_refused():
    labels = {f"k{number}": "v" for number in range(MOST_LABELS + 1)}
    template = {"metadata": {"labels": labels}, "spec": {"containers": []}}

    refusal = refusal_of(template)

    assert (refusal.reason, refusal.message) == (
        Reason.INVALID_SPEC,
        "template.metadata.labels: must be at most 1000.",
    )


def test_labels_of_a_pod_are_read_up_to_a_bound():
    labels = {f"k{number:04}": "v" for number in range(MOST_LABELS)}

    fact = parse_pod(pod_manifest("p", node="n1", labels=labels))
    assert (dict(fact.labels), fact.has_unread_labels) == (labels, False)
    fact = parse_pod(pod_manifest("p", node="n1", labels={**labels, "one": "more"}))
    assert (fact.labels, fact.has_unread_labels) == ((), True)


LISTS = [containers, amounts, ports, monitors, equal_monitors, terms]


@pytest.mark.parametrize("spec", LISTS, ids=lambda one: one.__name__)
def test_to_read_a_pod_costs_little_however_long_its_lists_are(spec):
    """Some lists are counted, whose length is known; of no other the end is read."""
    few, many = (pod_manifest("p", node="n1", spec=spec(count)) for count in (1_100, 11_000))

    assert instructions(lambda: read_pod(many)) <= instructions(lambda: read_pod(few)) + 20 * 11_000
