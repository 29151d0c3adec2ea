"""What objects are called, and which namespace they are in."""

import pytest

from charts.helm import render

LONG = "a-release-with-a-name-that-is-as-long-as-helm-lets-it"


@pytest.mark.parametrize(
    ("release", "values", "want"),
    [
        pytest.param("lockstep", {}, "lockstep", id="the chart's name once"),
        pytest.param("my-lockstep", {}, "my-lockstep", id="a release with the chart's name in it"),
        pytest.param("prod", {}, "prod-lockstep", id="another release"),
        pytest.param("prod", {"nameOverride": "gangs"}, "prod-gangs", id="another name"),
        pytest.param("prod", {"fullnameOverride": "placer"}, "placer", id="another full name"),
        pytest.param(LONG, {}, f"{LONG}-lockstep", id="53 characters and the chart's"),
        pytest.param(LONG, {"nameOverride": "x" * 63}, f"{LONG}-{'x' * 9}", id="cut at 63"),
        pytest.param("prod", {"fullnameOverride": f"{'x' * 62}-"}, "x" * 62, id="no hyphen at the end"),
    ],
)
def test_full_name_is_the_release_and_the_chart_once(release, values, want):
    rendered = render(values, release=release)

    assert rendered.one("Deployment")["metadata"]["name"] == want
    assert rendered.one("Service")["metadata"]["name"] == want
    assert len(want) <= 63
    assert all(want in name or "lockstep.dev" in name for name in rendered.names())


@pytest.mark.parametrize("release", ["prod", LONG])
def test_recorder_has_a_name_that_leaves_room_in_the_label_of_its_pod(release):
    """Kubernetes appends a hyphen and a hash of at most ten characters, and a label has at most 63."""
    [recorder] = [
        one for one in render({"record": {"enabled": True}}, release=release).all if one["kind"] == "StatefulSet"
    ]

    assert len(recorder["metadata"]["name"]) <= 63 - 11


def test_no_two_releases_share_a_name():
    assert render(release="one").names() & render(release="two").names() == set()


def test_release_selects_its_own_pods_only():
    one, two = (render(release=name).one("Deployment")["spec"]["selector"]["matchLabels"] for name in ("one", "two"))

    assert one != two


def test_name_of_a_release_that_reads_as_a_number_is_a_name():
    labels = render(release="123").one("Deployment")["spec"]["selector"]["matchLabels"]

    assert labels["app.kubernetes.io/instance"] == "123"


def test_namespace_can_be_another_than_the_releases():
    rendered = render({"namespaceOverride": "elsewhere", "networkPolicy": {"enabled": True}})
    namespaced = [one for one in rendered.all if "Cluster" not in one["kind"]]

    assert {one["metadata"]["namespace"] for one in namespaced} == {"elsewhere"}
    assert rendered.one("ClusterRoleBinding")["subjects"][0]["namespace"] == "elsewhere"
    assert "--leader-elect-resource-namespace=elsewhere" in rendered.container["args"]


def test_account_is_the_one_that_is_bound():
    rendered = render({"serviceAccount": {"name": "mine"}})

    assert rendered.pod["serviceAccountName"] == "mine"
    assert rendered.one("ServiceAccount")["metadata"]["name"] == "mine"
    assert rendered.one("ClusterRoleBinding")["subjects"][0]["name"] == "mine"
    assert rendered.one("RoleBinding", "lockstep-leader-election")["subjects"][0]["name"] == "mine"


@pytest.mark.parametrize(
    ("account", "want"),
    [
        pytest.param({"create": False}, "default", id="the namespace's own"),
        pytest.param({"create": False, "name": "theirs"}, "theirs", id="a given one"),
    ],
)
def test_account_that_is_not_made_is_one_that_is_there(account, want):
    assert render({"serviceAccount": account}).pod["serviceAccountName"] == want


@pytest.mark.parametrize("name", ["123", "on", "a #b"], ids=["a number", "a bool", "what looks like a comment"])
def test_name_stays_a_string_whatever_its_characters(name):
    rendered = render(
        {
            "namespaceOverride": name,
            "serviceAccount": {"name": name},
            "priorityClassName": name,
            "image": {"registry": "", "repository": name, "tag": "1"},
        }
    )

    assert {one["metadata"]["namespace"] for one in rendered.all if "namespace" in one["metadata"]} == {name}
    assert (rendered.pod["serviceAccountName"], rendered.pod["priorityClassName"]) == (name, name)
    assert rendered.pod["containers"][0]["image"] == f"{name}:1"


def test_common_labels_are_on_everything_and_select_nothing():
    rendered = render({"commonLabels": {"team": "batch"}, "networkPolicy": {"enabled": True}})

    assert {one["metadata"]["labels"].get("team") for one in rendered.all} == {"batch"}
    assert "team" not in rendered.one("Deployment")["spec"]["selector"]["matchLabels"]
    assert "team" not in rendered.one("Service")["spec"]["selector"]


def test_extra_objects_may_use_the_charts_own_names():
    written = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: {{ include "lockstep.fullname" . }}-b\n'
    given = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": '{{ include "lockstep.fullname" . }}-a'}}

    names = render({"extraObjects": [given, written]}).names()

    assert {"Secret/lockstep-a", "Secret/lockstep-b"} <= names


def test_settings_that_all_may_read_are_named_after_the_lease():
    rendered = render({"leaderElection": {"resourceName": "mine"}})

    [rule] = rendered.one("Role", "lockstep-settings-reader")["rules"]
    assert (rule["resources"], rule["resourceNames"], rule["verbs"]) == (["configmaps"], ["mine-settings"], ["get"])
    binding = rendered.one("RoleBinding", "lockstep-settings-reader")
    assert [(one["kind"], one["name"]) for one in binding["subjects"]] == [("Group", "system:authenticated")]
