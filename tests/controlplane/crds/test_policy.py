"""Who may make members of a gang: the operator, and nobody who merely may write pods."""

import json

import pytest

from eventually import eventually
from sandbox import KubectlError

SENTENCE = (
    "Only Lockstep makes the members of a GangJob; this takes the right to patch gangjobs/status in the namespace."
)
PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "create", "patch"]}
STATUS = {"apiGroups": ["lockstep.dev"], "resources": ["gangjobs/status"], "verbs": ["patch"]}
MEMBER_LABELS = {"lockstep.dev/gang": "heat", "lockstep.dev/attempt": "1", "lockstep.dev/rank": "0"}


def role(name, *rules):
    """A role and who has it, a user of the same name."""
    return [
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name}, "rules": [*rules]},
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}],
        },
    ]


def pod(name, **metadata):
    spec = {"containers": [{"name": "member", "image": "registry.k8s.io/pause:3.10"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}, "spec": spec}


@pytest.fixture
def kubectl(api, namespace):
    """Runs kubectl in the test's namespace as a user with a role there, and returns its complaint, if any."""
    roles = [*role("author", PODS), *role("operator", PODS, STATUS)]
    everything = json.dumps({"apiVersion": "v1", "kind": "List", "items": roles})
    api.kubectl("create", "--namespace", namespace, "-f", "-", stdin=everything)

    def complaint(user, *arguments, document=None):
        try:
            api.kubectl("--namespace", namespace, "--as", user, *arguments, stdin=json.dumps(document))
        except KubectlError as error:
            return str(error)
        return ""

    return complaint


@pytest.fixture
def owner(api, namespace, gang):
    """The owner reference of a member of a gang that exists."""
    made = api.request("POST", f"/apis/lockstep.dev/v1alpha1/namespaces/{namespace}/gangjobs", gang())
    return {
        "apiVersion": made["apiVersion"],
        "kind": made["kind"],
        "name": "heat",
        "uid": made["metadata"]["uid"],
        "controller": True,
    }


@pytest.fixture
def forged(kubectl, owner):
    """The manifest of a pod that claims to be a member. From now on the API server obeys the policy."""
    claim = pod("heat-1-0", ownerReferences=[owner], labels=MEMBER_LABELS)
    eventually(lambda: SENTENCE in kubectl("author", "create", "--dry-run=server", "-f", "-", document=claim))
    return claim


def test_policy_refuses_a_forged_member(kubectl, forged):
    complaint = kubectl("author", "create", "-f", "-", document=forged)

    assert complaint.endswith(f"denied request: {SENTENCE}")


def test_policy_lets_the_operator_make_members(kubectl, forged):
    assert kubectl("operator", "create", "-f", "-", document=forged) == ""


def test_policy_leaves_other_pods_alone(kubectl, forged):
    assert kubectl("author", "create", "-f", "-", document=pod("plain", labels=MEMBER_LABELS)) == ""


def test_policy_refuses_a_pod_that_becomes_a_member(kubectl, forged, owner):
    kubectl("author", "create", "-f", "-", document=pod("plain"))
    claim = json.dumps({"metadata": {"ownerReferences": [owner]}})

    assert SENTENCE in kubectl("author", "patch", "pod", "plain", "--type=merge", "-p", claim)


@pytest.mark.parametrize("change", ["lockstep.dev/rank=1", "lockstep.dev/attempt-", "lockstep.dev/gang=another"])
def test_policy_refuses_another_rank_attempt_or_gang(kubectl, forged, change):
    kubectl("operator", "create", "-f", "-", document=forged)

    assert SENTENCE in kubectl("author", "label", "pod", "heat-1-0", "--overwrite", change)


def test_policy_leaves_other_labels_of_members_alone(kubectl, forged):
    kubectl("operator", "create", "-f", "-", document=forged)

    assert kubectl("author", "label", "pod", "heat-1-0", "team=blue") == ""


def test_policy_has_no_expression_of_a_wrong_type(api):
    policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"

    status = eventually(lambda: api.request("GET", f"{policies}/members.gangjobs.lockstep.dev").get("status"))

    assert status["observedGeneration"] == 1
    assert "expressionWarnings" not in status.get("typeChecking", {})
