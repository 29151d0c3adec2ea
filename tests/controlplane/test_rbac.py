"""The operator's rights: these and no others, and enough for everything that it does."""

from pathlib import Path

import pytest
import yaml

from builders.manifests import gang
from eventually import eventually

RBAC = Path(__file__).parents[2] / "operator" / "rbac.yaml"
OPERATOR = "system:serviceaccount:lockstep-system:lockstep"
ACCOUNT = {"kind": "ServiceAccount", "name": "lockstep", "namespace": "lockstep-system"}

EDITORS = {"get gangjobs", "create gangjobs", "get gangs", "create gangs", "get nodebids"}
WANT = {
    ("", "nodes"): {"list", "watch"},
    ("", "namespaces"): {"list", "watch"},
    ("", "persistentvolumeclaims"): {"get", "list", "watch", "create", "patch"},
    ("", "persistentvolumes"): {"get", "list", "watch", "patch"},
    ("storage.k8s.io", "csinodes"): {"list", "watch"},
    ("storage.k8s.io", "volumeattachments"): {"list", "watch"},
    ("storage.k8s.io", "storageclasses"): {"list", "watch"},
    ("storage.k8s.io", "csidrivers"): {"list", "watch"},
    ("storage.k8s.io", "csistoragecapacities"): {"list", "watch"},
    ("scheduling.k8s.io", "priorityclasses"): {"list", "watch"},
    ("policy", "poddisruptionbudgets"): {"list", "watch"},
    ("", "resourcequotas"): {"list", "watch"},
    ("", "pods/status"): {"patch"},
    ("", "pods"): {"get", "list", "watch", "create", "patch", "delete"},
    ("", "services"): {"get", "create"},
    ("", "configmaps"): {"get", "create", "update"},
    ("", "pods/binding"): {"create"},
    ("", "pods/resize"): {"patch"},
    ("lockstep.dev", "gangjobs"): {"get", "list", "watch", "delete"},
    ("lockstep.dev", "gangjobs/status"): {"patch"},
    ("lockstep.dev", "nodebids"): {"list", "watch"},
    ("lockstep.dev", "nodebids/status"): {"patch"},
    ("events.k8s.io", "events"): {"create"},
}


def test_rights_are_exactly_these():
    role = document("ClusterRole", "lockstep")

    given = {key: verbs for rule in role["rules"] for key, verbs in granted(rule)}
    assert given == WANT
    assert len(given) == sum(len(rule["apiGroups"]) * len(rule["resources"]) for rule in role["rules"])


def test_rights_on_the_lease_are_for_that_lease_only_but_for_its_creation():
    role = document("Role", "lockstep-leader-election")
    lease = document("Lease", "lockstep")

    assert role["metadata"]["namespace"] == lease["metadata"]["namespace"] == "lockstep-system"
    assert [(rule.get("resourceNames"), *granted(rule)) for rule in role["rules"]] == [
        (["lockstep"], (("coordination.k8s.io", "leases"), {"get", "watch", "update"})),
        (None, (("coordination.k8s.io", "leases"), {"create"})),
    ]


def test_lease_is_installed_free():
    assert document("Lease", "lockstep")["spec"] == {}


@pytest.mark.parametrize(
    ("kind", "name", "want_role"),
    [
        pytest.param("ClusterRoleBinding", "lockstep", "ClusterRole/lockstep", id="cluster"),
        pytest.param("RoleBinding", "lockstep-leader-election", "Role/lockstep-leader-election", id="leader election"),
    ],
)
def test_rights_are_bound_to_the_operators_account_only(kind, name, want_role):
    binding = document(kind, name)

    assert f"{binding['roleRef']['kind']}/{binding['roleRef']['name']}" == want_role
    assert binding["subjects"] == [ACCOUNT]


def test_nothing_else_is_applied():
    assert [f"{one['kind']}/{one['metadata']['name']}" for one in documents()] == [
        "Namespace/lockstep-system",
        "ServiceAccount/lockstep",
        "ClusterRole/lockstep",
        "ClusterRoleBinding/lockstep",
        "Lease/lockstep",
        "Role/lockstep-leader-election",
        "RoleBinding/lockstep-leader-election",
        "Role/lockstep-settings-reader",
        "RoleBinding/lockstep-settings-reader",
        "ClusterRole/lockstep-viewer",
        "ClusterRole/lockstep-editor",
        "ClusterRole/lockstep-bidder",
    ]


@pytest.mark.parametrize(
    ("user_role", "want"),
    [
        pytest.param("view", {"get gangjobs", "get gangs", "get nodebids"}, id="viewers read"),
        pytest.param("edit", EDITORS, id="editors submit gangs too"),
        pytest.param("admin", EDITORS, id="admins do the same"),
        pytest.param("lockstep-bidder", {"get nodebids", "create nodebids"}, id="owners of nodes make offers"),
    ],
)
def test_users_get_their_rights_by_roles_that_they_have(installed, user_role, want):
    user = f"holder-of-{user_role}"
    bind(installed, user_role, user)

    def allowed():
        asked = [(verb, resource) for resource in ("gangjobs", "gangs", "nodebids") for verb in ("get", "create")]
        return {
            f"{verb} {what}" for verb, what in asked if is_allowed(installed, verb, "lockstep.dev", what, user=user)
        }

    # The controller manager puts the roles together.
    eventually(lambda: allowed() == want)


@pytest.mark.parametrize(
    ("verb", "group", "resource"),
    [
        pytest.param("get", "", "secrets", id="read secrets"),
        pytest.param("patch", "", "nodes", id="change nodes"),
        pytest.param("create", "", "pods/exec", id="run commands in pods"),
        pytest.param("update", "", "services", id="change services"),
        pytest.param("list", "", "configmaps", id="list config maps"),
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
    arena.until("failed", "Failed", reason="MemberFailed")
    arena.until("huge", "Placed", "False")
    arena.until_placed("lost")

    arena.delete_pod("lost-1-0")
    arena.until_events("lost", "PodLost")
    arena.delete_gang("lost")
    arena.until_no_pods("lost")

    counted = {name for name, value in operator.metrics().items() if value and "lockstep_api_requests_total{" in name}
    assert [name for name in counted if 'code="403"' in name or 'code="401"' in name] == []
    for resource in ("pods", "pods/binding", "gangjobs/status", "events"):
        assert any(f'resource="{resource}"' in name for name in counted)


@pytest.mark.parametrize(
    ("verb", "name", "want"),
    [
        pytest.param("update", "lockstep", True, id="its own lease"),
        pytest.param("update", "another", False, id="another lease"),
        pytest.param("delete", "lockstep", False, id="deleting its own"),
    ],
)
def test_operator_may_change_one_lease(installed, verb, name, want):
    lease = {"namespace": "lockstep-system", "name": name}

    assert is_allowed(installed, verb, "coordination.k8s.io", "leases", **lease) is want


def documents():
    return list(yaml.safe_load_all(RBAC.read_text(encoding="utf-8")))


def document(kind, name):
    [found] = [one for one in documents() if (one["kind"], one["metadata"]["name"]) == (kind, name)]
    return found


def granted(rule):
    return [((group, resource), set(rule["verbs"])) for group in rule["apiGroups"] for resource in rule["resources"]]


def bind(api, role, user):
    """Give a user a role in the whole cluster."""
    api.apply(
        [
            {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": user},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
            }
        ]
    )


def is_allowed(api, verb, group, resource, *, user=OPERATOR, **where):
    """Whether that user may do that: in any namespace, or where it is said."""
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": user,
            "resourceAttributes": {"verb": verb, "group": group, "resource": resource, **where},
        },
    }
    answer = api.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    return answer["status"]["allowed"]
