"""Whether a LeaderWorkerSet makes a group anew, and which pod is its leader."""

import pytest

from lockstep.api.evictions.group_restart import is_leader, leader_of, why_not_remade
from lockstep.facts.pods.pod import PodKey

AFTER_START = "leaderworkerset.sigs.k8s.io/experimental-recreate-group-after-start"


LEADERS = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "heat", "uid": "u", "controller": True}


def of(policy=None, **annotations):
    template = {} if policy is None else {"restartPolicy": policy}
    return {"metadata": {"annotations": annotations}, "spec": {"leaderWorkerTemplate": template}}


@pytest.mark.parametrize(
    ("found", "has_waiting", "want"),
    [
        pytest.param(of(), True, "", id="by default"),
        pytest.param(of("RecreateGroupOnPodRestart"), True, "", id="on a restart"),
        pytest.param(of("None"), False, "its restartPolicy is None", id="never"),
        pytest.param(of("Default"), False, "its restartPolicy is Default", id="never, by the old name"),
        pytest.param(of("Some"), False, "its restartPolicy is Some", id="a policy to come"),
        pytest.param(of(**{AFTER_START: ""}), True, "while pods of the group wait", id="not while pods wait"),
        pytest.param(of(**{AFTER_START: ""}), False, "", id="no pod waits"),
    ],
)
def test_group_is_made_anew(found, has_waiting, want):
    why = why_not_remade(found, has_waiting=has_waiting)

    assert (want in why) if want else why == ""


def test_leader_is_named_by_the_set_and_its_group():
    assert leader_of("team", "a.b.12") == PodKey("team", "a.b-12")


@pytest.mark.parametrize(
    ("labels", "want"),
    [
        pytest.param(("heat", "0", "0"), True, id="leader"),
        pytest.param(("heat", "0", "1"), False, id="worker"),
        pytest.param(("heat", "1", "0"), False, id="another group"),
        pytest.param(("cold", "0", "0"), False, id="another set"),
    ],
)
def test_leader_says_so_in_its_labels(labels, want):
    names = (f"leaderworkerset.sigs.k8s.io/{word}" for word in ("name", "group-index", "worker-index"))

    metadata = {"labels": dict(zip(names, labels, strict=True)), "ownerReferences": [LEADERS]}
    assert is_leader({"metadata": metadata}, "heat.0") is want
    assert not is_leader({"metadata": {**metadata, "ownerReferences": []}}, "heat.0")


def test_pod_without_labels_is_no_leader():
    assert not is_leader({"metadata": {}}, "heat.0")
