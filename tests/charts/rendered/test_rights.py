"""The chart gives the rights that are applied without it, and no others."""

import pytest

from charts.helm import ROOT, load_all, render
from lockstep.api.suspending.suspendable import SUSPENDABLE_KINDS
from lockstep.facts.gang.source import Source
from lockstep.process.start.source_rights import needs_of

RBAC = {
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "Lease",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
}

SOURCES = [one.value for one in Source]


def applied(*files):
    """What is applied without the chart, by kind and name."""
    documents = [one for file in files for one in load_all((ROOT / "operator" / file).read_text())]
    return {(one["kind"], one["metadata"]["name"]): meaning(one) for one in documents if one["kind"] in RBAC}


def given(values):
    hooked = "helm.sh/hook"
    documents = [one for one in render(values).all if one["kind"] in RBAC]
    ours = [one for one in documents if hooked not in one["metadata"].get("annotations", {})]
    return {(one["kind"], one["metadata"]["name"]): meaning(one) for one in ours}


def meaning(manifest):
    """A manifest without the labels by which Helm and people know it."""
    labels = {
        key: value
        for key, value in manifest["metadata"].get("labels", {}).items()
        if key.startswith("rbac.authorization.k8s.io/")
    }
    return {**manifest, "metadata": {**manifest["metadata"], "labels": labels}}


def test_release_named_lockstep_has_what_is_applied_without_the_chart():
    assert given({}) == applied("rbac.yaml")


def test_secured_metrics_bring_their_own_rights():
    assert given({"metrics": {"secure": {"enabled": True}}}) == applied("rbac.yaml", "rbac-metrics.yaml")


def test_requests_for_nodes_bring_their_own_rights():
    values = {"operator": {"provisioningRequests": "check-capacity.autoscaling.x-k8s.io"}}

    assert given(values) == applied("rbac.yaml", "rbac-provisioning.yaml")


def test_sweeps_bring_their_own_rights_and_their_kind():
    without, rendered = render({}, kinds=True), render({"sweeps": {"enabled": True}}, kinds=True)

    assert given({"sweeps": {"enabled": True}}) == applied("rbac.yaml", "rbac-sweeps.yaml")
    assert "gangsweeps.lockstep.dev" not in kinds_of(without)
    assert "gangsweeps.lockstep.dev" in kinds_of(rendered)


def kinds_of(rendered):
    """The names of the kinds that a release installs."""
    return {one["metadata"]["name"] for one in rendered.all if one["kind"] == "CustomResourceDefinition"}


def test_all_sources_bring_their_own_rights():
    assert given({"sources": SOURCES}) == applied("rbac.yaml", "rbac-sources.yaml", "rbac-sizing.yaml")


SUSPENDS = [kind.plural.removesuffix("s") for kind in SUSPENDABLE_KINDS]


def test_owners_that_may_be_suspended_bring_their_own_rights():
    values = {"sources": SOURCES, "suspends": SUSPENDS}

    files = ("rbac.yaml", "rbac-sources.yaml", "rbac-sizing.yaml", "rbac-suspending.yaml")
    assert given(values) == applied(*files)


@pytest.mark.parametrize("kind", SUSPENDABLE_KINDS, ids=lambda kind: kind.kind)
def test_each_owner_that_may_be_suspended_brings_its_own_right_alone(kind):
    values = {"sources": SOURCES, "suspends": [kind.plural.removesuffix("s")]}
    [rule] = given(values)["ClusterRole", "lockstep-suspending"]["rules"]

    group = kind.api_version.partition("/")[0]
    assert rule == {"apiGroups": [group], "resources": [kind.plural], "verbs": ["get", "list", "patch"]}


def test_evictions_bring_their_own_rights():
    values = {"sources": SOURCES, "evicts": True}

    files = ("rbac.yaml", "rbac-sources.yaml", "rbac-sizing.yaml", "rbac-evicting.yaml")
    assert given(values) == applied(*files)


@pytest.mark.parametrize(
    "sources",
    [[one] for one in SOURCES if not one.startswith("sized")]
    + [["pods", "job"], ["jobset", "podgroup"], ["job", "sizedjob"], ["raycluster", "sizedraycluster"]],
    ids="+".join,
)
def test_sources_bring_the_rights_that_the_operator_asks_for_with_them_and_no_others(sources):
    roles = given({"sources": sources})
    names = ("lockstep-sources", "lockstep-sizing")

    got = {
        (verb, group, resource)
        for name in names
        for rule in roles.get(("ClusterRole", name), {"rules": []})["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }

    assert got == {(one.need.verb, one.group, one.resource) for one in needs_of({*map(Source, sources)})}


def test_answers_for_tenants_bring_their_own_rights():
    assert given({"tenantAnswers": {"enabled": True}}) == applied("rbac.yaml", "rbac-answers.yaml")


@pytest.mark.parametrize(
    ("name", "want"),
    [
        pytest.param(
            "lockstep-answers",
            {"create subjectaccessreviews", *(f"{verb} apiservices" for verb in ("create", "patch"))},
            id="the server of answers",
        ),
        pytest.param("lockstep-record", {"delete configmaps"}, id="the recorder"),
    ],
)
def test_parts_for_tenants_only_read_but_for_objects_of_their_own(name, want):
    """What is written is named, but for reviews, which are stored nowhere."""
    rules = [
        rule for one in roles_of(render(EVERYTHING).all) if one["metadata"]["name"] == name for rule in one["rules"]
    ]
    writing = [rule for rule in rules if not {*rule["verbs"]} <= {"get", "list"}]

    assert {f"{verb} {kind}" for rule in writing for kind in rule["resources"] for verb in rule["verbs"]} - {
        "get apiservices"
    } == want
    assert all(rule.get("resourceNames") for rule in writing if rule["resources"] != ["subjectaccessreviews"])


def test_agents_bring_their_own_rights_and_the_policy_that_confines_them():
    assert given({"agent": {"enabled": True}}) == applied("rbac.yaml", "rbac-agent.yaml")


@pytest.mark.parametrize(
    ("toggle", "want_gone"),
    [
        pytest.param("aggregateToView", ("lockstep-viewer", "aggregate-to-view"), id="view"),
        pytest.param("aggregateToEdit", ("lockstep-editor", "aggregate-to-edit"), id="edit"),
        pytest.param("aggregateToAdmin", ("lockstep-editor", "aggregate-to-admin"), id="admin"),
    ],
)
def test_users_roles_are_joined_to_those_of_the_cluster_one_by_one(toggle, want_gone):
    def joined(values):
        return {
            (name, label.partition("/")[2])
            for (kind, name), manifest in given(values).items()
            if kind == "ClusterRole"
            for label in manifest["metadata"]["labels"]
        }

    assert joined({}) - joined({"rbac": {toggle: False}}) == {want_gone}


EVERYTHING = {
    "sources": SOURCES,
    "suspends": SUSPENDS,
    "evicts": True,
    "operator": {"provisioningRequests": "check-capacity.autoscaling.x-k8s.io"},
    "metrics": {"secure": {"enabled": True}},
    "record": {"enabled": True, "users": True},
    **{part: {"enabled": True} for part in ("sweeps", "fairShares", "tenantAnswers", "agent")},
}


def test_no_role_may_impersonate_or_has_every_verb():
    """The server of answers and the operator ask what users may do; they never act as these users."""
    files = (ROOT / "operator").glob("*.yaml")
    without_chart = roles_of(one for file in files for one in load_all(file.read_text()))
    chart = roles_of(render(EVERYTHING).all)
    verbs = {verb for role in (*without_chart, *chart) for rule in role["rules"] for verb in rule["verbs"]}

    names, in_chart = ({one["metadata"]["name"] for one in roles} for roles in (without_chart, chart))
    assert {"lockstep", "lockstep-answers", "lockstep-record"} <= names <= in_chart
    # Kubernetes also has verbs such as impersonate:user-info.
    assert [verb for verb in verbs if verb == "*" or verb.startswith("impersonate")] == []


def roles_of(manifests):
    """The roles among these manifests."""
    return [one for one in manifests if one["kind"] in ("Role", "ClusterRole")]


def test_test_may_do_no_more_than_its_gang_needs():
    role = render().one("Role", "lockstep-test")

    assert role["rules"] == [
        {"apiGroups": ["lockstep.dev"], "resources": ["gangjobs"], "verbs": ["create", "get", "delete"]}
    ]
