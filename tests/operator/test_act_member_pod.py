"""The pod of a member: the gang's template and what it must know about itself, and nothing that widens it."""

import copy

import pytest

from fake_cluster.facts import gang_fact, gang_spec, reservation
from lockstep.act.member_pod import MemberPods
from lockstep.facts import PodKey
from lockstep.watch.parse import parse_pod

TEMPLATE = {
    "metadata": {"labels": {"app": "heat", "lockstep.dev/gang": "stolen"}, "annotations": {"note": "x"}},
    "spec": {
        "containers": [{"name": "main", "image": "work:1", "env": [{"name": "MINE", "value": "$(LOCKSTEP_RANK)"}]}],
        "initContainers": [{"name": "fetch", "image": "fetch:1"}],
        "serviceAccountName": "worker",
    },
}


def made(rank=1, *, template=TEMPLATE, priority_class="", attempt=2):
    gang = gang_fact("g", spec=gang_spec(template=template, priority_class=priority_class))
    return MemberPods(gang, reservation("g", attempt=attempt, members=(("n1", 2), ("n2", 1)))).pod(rank)


def variables(container):
    return {one["name"]: one["value"] for one in container["env"]}


def test_name_follows_from_gang_attempt_and_rank():
    assert made()["metadata"]["name"] == "g-2-1"
    assert made()["metadata"]["namespace"] == "default"


def test_pod_is_unbound_and_never_restarted():
    spec = made()["spec"]

    assert "nodeName" not in spec
    assert (spec["schedulerName"], spec["restartPolicy"]) == ("lockstep", "Never")


def test_template_s_restart_policy_is_kept():
    template = {"spec": {**TEMPLATE["spec"], "restartPolicy": "OnFailure"}}

    assert made(template=template)["spec"]["restartPolicy"] == "OnFailure"


def test_labels_of_ours_can_not_be_replaced():
    assert made()["metadata"]["labels"] == {
        "app": "heat",
        "lockstep.dev/gang": "g",
        "lockstep.dev/attempt": "2",
        "lockstep.dev/rank": "1",
    }
    assert made()["metadata"]["annotations"] == {"note": "x"}


def test_owner_controls_without_blocking():
    assert made()["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "lockstep.dev/v1alpha1",
            "kind": "GangJob",
            "name": "g",
            "uid": "uid-of-g",
            "controller": True,
            "blockOwnerDeletion": False,
        }
    ]


@pytest.mark.parametrize("kind", ["containers", "initContainers"])
def test_every_container_knows_its_place(kind):
    [container] = made()["spec"][kind]

    want = {"LOCKSTEP_GANG": "g", "LOCKSTEP_ATTEMPT": "2", "LOCKSTEP_SIZE": "3", "LOCKSTEP_RANK": "1"}
    assert want.items() <= variables(container).items()


def test_variables_of_ours_come_first():
    """Only so can the container's own refer to them."""
    assert [one["name"] for one in made()["spec"]["containers"][0]["env"]][-1] == "MINE"


def test_template_is_not_changed():
    before = copy.deepcopy(TEMPLATE)
    made(0)

    assert before == TEMPLATE


def test_nothing_but_what_is_promised_is_added():
    spec = made()["spec"]

    assert set(spec) == {*TEMPLATE["spec"], "schedulerName", "restartPolicy"}
    assert spec["serviceAccountName"] == "worker"


def test_priority_class_is_the_gang_s():
    assert made(priority_class="batch")["spec"]["priorityClassName"] == "batch"
    assert "priorityClassName" not in made()["spec"]


def test_what_is_made_is_read_as_a_member():
    manifest = made()
    manifest["metadata"]["uid"] = "u"
    fact = parse_pod(manifest)

    assert fact.key == PodKey("default", "g-2-1")
    assert fact.member == (("default", "g"), "uid-of-g", 2, 1)


def test_template_without_metadata_will_do():
    assert made(template={"spec": {"containers": [{"name": "main"}]}})["metadata"]["annotations"] == {}
