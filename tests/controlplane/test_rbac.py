"""The operator's rights: these and no others, and enough for everything that it does."""

from pathlib import Path

import pytest
import yaml

from builders.manifests import gang

RBAC = Path(__file__).parents[2] / "operator" / "rbac.yaml"

WANT = {
    ("", "nodes"): {"list", "watch"},
    ("", "namespaces"): {"list", "watch"},
    ("", "persistentvolumeclaims"): {"list", "watch"},
    ("", "persistentvolumes"): {"list", "watch"},
    ("storage.k8s.io", "csinodes"): {"list", "watch"},
    ("storage.k8s.io", "volumeattachments"): {"list", "watch"},
    ("scheduling.k8s.io", "priorityclasses"): {"list", "watch"},
    ("", "pods"): {"get", "list", "watch", "create", "delete"},
    ("", "pods/binding"): {"create"},
    ("lockstep.dev", "gangjobs"): {"get", "list", "watch"},
    ("lockstep.dev", "gangjobs/status"): {"patch"},
    ("lockstep.dev", "nodebids"): {"list", "watch"},
    ("lockstep.dev", "nodebids/status"): {"patch"},
    ("events.k8s.io", "events"): {"create"},
}


def test_rights_are_exactly_these():
    [role] = documents("ClusterRole")

    given = {
        (group, resource): set(rule["verbs"])
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    assert given == WANT
    assert len(given) == sum(len(rule["apiGroups"]) * len(rule["resources"]) for rule in role["rules"])


def test_rights_are_bound_to_the_operators_account_only():
    [binding] = documents("ClusterRoleBinding")

    assert binding["roleRef"]["name"] == "lockstep"
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "lockstep", "namespace": "lockstep-system"}]


def test_nothing_else_is_applied():
    assert [one["kind"] for one in yaml.safe_load_all(RBAC.read_text(encoding="utf-8"))] == [
        "Namespace",
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
    ]


@pytest.mark.parametrize(
    ("verb", "group", "resource"),
    [
        pytest.param("get", "", "secrets", id="read secrets"),
        pytest.param("patch", "", "nodes", id="change nodes"),
        pytest.param("patch", "", "pods", id="change pods"),
        pytest.param("update", "lockstep.dev", "gangjobs", id="change what users ask for"),
        pytest.param("create", "lockstep.dev", "nodebids", id="make offers"),
        pytest.param("patch", "lockstep.dev", "nodebids", id="change offers"),
    ],
)
def test_operator_may_not(installed, verb, group, resource):
    assert not is_allowed(installed, verb, group, resource)


def test_operator_may_what_its_role_says(installed):
    assert is_allowed(installed, "create", "", "pods")


def test_whole_life_of_gangs_needs_no_other_right(operator, arena):
    arena.add_nodes(1)
    arena.submit(gang("done", run_for="300ms"))
    arena.submit(gang("lost"))
    arena.submit(gang("failed", size=1, run_for="300ms", exit_code="1"))
    arena.submit(gang("huge", size=50))
    arena.until_complete("done")
    arena.until("failed", "Complete", reason="MemberFailed")
    arena.until("huge", "Placed", "False")
    arena.until_placed("lost")

    arena.delete_pod("lost-1-0")
    arena.until_events("lost", "BindInterrupted")
    arena.delete_gang("lost")
    arena.until_no_pods("lost")

    counted = {name for name, value in operator.metrics().items() if value and "lockstep_api_requests_total{" in name}
    assert [name for name in counted if 'code="403"' in name or 'code="401"' in name] == []
    for resource in ("pods", "pods/binding", "gangjobs/status", "events"):
        assert any(f'resource="{resource}"' in name for name in counted)


def documents(kind):
    every = yaml.safe_load_all(RBAC.read_text(encoding="utf-8"))
    return [document for document in every if document["kind"] == kind]


def is_allowed(api, verb, group, resource):
    """Whether the operator's account may do that in any namespace."""
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": "system:serviceaccount:lockstep-system:lockstep",
            "resourceAttributes": {"verb": verb, "group": group, "resource": resource},
        },
    }
    answer = api.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    return answer["status"]["allowed"]
