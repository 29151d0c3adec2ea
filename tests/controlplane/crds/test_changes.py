"""What may be changed of a GangJob after its creation, and which users may change its status."""

import pytest

from builders.volumes import claim_templates
from sandbox import ApiError

WORK = "spec.work: Forbidden: work can't be added, changed or removed after creation; create another GangJob instead."
NETWORK = (
    "spec.network: Forbidden: network can't be added, changed or removed after creation; create another GangJob"
    " instead."
)
PLACEMENT = (
    "spec.placement: Forbidden: placement can't be added, changed or removed after creation; create another GangJob"
    " instead."
)
PLACED = {"type": "Placed", "reason": "Bound", "message": "", "lastTransitionTime": "2026-11-20T18:00:00Z"}
PROFILE = [{"members": 2, "time": "20m"}, {"members": 8, "time": "6m"}]


def container(requests):
    one = {"name": "member", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": requests}}
    return {"spec": {"containers": [one]}}


@pytest.fixture
def change(api, namespace, gang):
    """Creates the least GangJob with one patch over it and sends another; returns what the server answers to that."""

    def changed(first, second, subresource=""):
        collection = f"/apis/lockstep.dev/v1alpha1/namespaces/{namespace}/gangjobs"
        api.request("POST", collection, gang(first))
        return api.request("PATCH", f"{collection}/heat{subresource}", second)

    return changed


@pytest.mark.parametrize(
    ("first", "second", "want"),
    [
        pytest.param(
            {"work": {"serialTime": "1h"}},
            {"work": {"serialTime": "2h"}},
            WORK,
            id="another work",
        ),
        pytest.param(
            {},
            {"work": {"serialTime": "2h"}},
            WORK,
            id="work that was not there",
        ),
        pytest.param({}, {"network": {}}, NETWORK, id="a network that was not there"),
        pytest.param({"network": {}}, {"network": None}, NETWORK, id="no network any more"),
        pytest.param({"network": {}}, {"network": {"rendezvous": "JAX"}}, NETWORK, id="another rendezvous"),
        pytest.param(
            {"volumeClaimTemplates": claim_templates("fast")},
            {"volumeClaimTemplates": claim_templates("slow")},
            "spec.volumeClaimTemplates: Forbidden: volumeClaimTemplates can't be changed after creation; create another"
            " GangJob instead.",
            id="claims of another class",
        ),
        pytest.param(
            {},
            {"volumeClaimTemplates": claim_templates("fast")},
            "spec.volumeClaimTemplates: Forbidden: volumeClaimTemplates can't be added or removed after creation;"
            " create another GangJob instead.",
            id="claims that were not there",
        ),
        pytest.param(
            {"work": {"profile": PROFILE}},
            {"work": None},
            WORK,
            id="no work any more",
        ),
        pytest.param({}, {"placement": {"onePer": "zone"}}, PLACEMENT, id="placement that was not there"),
        pytest.param(
            {"placement": {"onePer": "zone"}}, {"placement": {"onePer": "rack"}}, PLACEMENT, id="another placement"
        ),
        pytest.param(
            {},
            {"load": "Proportional"},
            "spec.load: Forbidden: load can't be changed after creation; create another GangJob instead.",
            id="another load",
        ),
        pytest.param(
            {"load": "Proportional"},
            {"load": None},
            "spec.load: Forbidden: load can't be changed after creation; create another GangJob instead.",
            id="no load any more, which is equal load",
        ),
        pytest.param(
            {"load": "Pieces", "pieces": 64},
            {"pieces": 65},
            "spec.pieces: Forbidden: pieces can't be changed after creation; create another GangJob instead.",
            id="another piece",
        ),
        pytest.param(
            {"load": "Pieces", "pieces": 64},
            {"pieces": None},
            "spec.pieces: Required value: pieces must say into how many pieces the work is divided, because load is"
            " Pieces.",
            id="no pieces any more",
        ),
        pytest.param(
            {},
            {"template": {"spec": {"containers": [{"name": "member", "image": "another"}]}}},
            "spec.template: Forbidden: template can't be changed after creation; create another GangJob instead.",
            id="another image",
        ),
        pytest.param(
            {"template": container({"cpu": 0.5})},
            {"template": container({"cpu": 0.6})},
            "spec.template: Forbidden: template can't be changed after creation; create another GangJob instead.",
            id="another fraction of a cpu",
        ),
        pytest.param(
            {},
            {"template": {"metadata": {"labels": {"a": "b"}}}},
            "spec.template: Forbidden: template can't be changed after creation; create another GangJob instead.",
            id="another label",
        ),
    ],
)
def test_change_is_refused(change, first, second, want):
    with pytest.raises(ApiError) as refused:
        change({"spec": first}, {"spec": second})

    assert str(refused.value).endswith(f" is invalid: {want}")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({}, {"priorityClassName": "urgent"}, id="a priority class"),
        pytest.param({"work": {"serialTime": "1h"}}, {"deadline": "2h"}, id="a deadline"),
        pytest.param({"work": {"serialTime": "1h"}, "deadline": "2h"}, {"deadline": None}, id="no deadline any more"),
        pytest.param({}, {"suspend": True}, id="a suspension"),
        pytest.param({"suspend": True}, {"suspend": False}, id="no suspension any more"),
        pytest.param({}, {"activeDeadlineSeconds": 60, "ttlSecondsAfterFinished": 0}, id="limits of its life"),
        pytest.param({}, {"failurePolicy": {"maxRestarts": 3}}, id="a failure policy"),
    ],
)
def test_change_is_obeyed_while_the_gang_waits(change, first, second):
    changed = change({"spec": first}, {"spec": second})

    assert {key: changed["spec"].get(key) for key in second} == second
    assert changed["metadata"]["generation"] == 2


def test_gangjob_gets_no_default_but_equal_load_and_no_pace(api, namespace, gang):
    written = gang()

    stored = api.request("POST", f"/apis/lockstep.dev/v1alpha1/namespaces/{namespace}/gangjobs", written)

    assert stored["spec"] == {**written["spec"], "load": "Equal", "pace": "None"}


def test_status_is_a_subresource(change):
    status = {
        "attempt": 1,
        "size": 8,
        "start": "2026-11-20T18:00:00Z",
        "effectiveSpeedup": "5.9",
        "members": [{"node": "n01", "count": 4}, {"node": "n02", "count": 4}],
    }

    changed = change({}, {"spec": {"priorityClassName": "urgent"}, "status": status}, "/status")

    assert changed["status"] == status
    assert "priorityClassName" not in changed["spec"]
    assert changed["metadata"]["generation"] == 1


@pytest.mark.parametrize(
    "members",
    [
        pytest.param([{"node": "n01", "count": 2, "share": "0.285714285714"}], id="shares"),
        pytest.param([{"node": "n01", "count": 1, "share": "1"}], id="all in one hand"),
        pytest.param(
            [{"node": "n01", "count": 1, "pieces": 5}, {"node": "n01", "count": 2, "pieces": 4}],
            id="pieces, and a node twice",
        ),
    ],
)
def test_status_keeps_what_members_have(change, members):
    assert change({}, {"status": {"members": members}}, "/status")["status"]["members"] == members


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param(
            {"members": [{"node": "n01", "count": 1, "share": "2/7"}]},
            'status.members[0].share: Invalid value: "2/7"',
            id="a share that is no decimal",
        ),
        pytest.param(
            {"members": [{"node": "n01", "count": 1, "pieces": 0}]},
            "status.members[0].pieces: Invalid value: 0",
            id="a member without a piece",
        ),
        pytest.param({"attempt": -1}, "status.attempt: Invalid value: -1", id="a negative attempt"),
        pytest.param({"effectiveSpeedup": "fast"}, 'status.effectiveSpeedup: Invalid value: "fast"', id="a word"),
        pytest.param(
            {"conditions": [{**PLACED, "status": "Maybe"}]},
            'status.conditions[0].status: Unsupported value: "Maybe"',
            id="an unknown condition status",
        ),
    ],
)
def test_status_refuses(change, status, want):
    with pytest.raises(ApiError, match="is invalid") as refused:
        change({}, {"status": status}, "/status")

    assert want in str(refused.value)
