"""What holds for everything that the chart renders, whatever the values."""

import re
from pathlib import Path

import pytest

from charts.helm import CHART, HAS_MONITORING, VALUES_FILES, RefusedError, helm, load_all, render, render_text
from sandbox.binaries import releases

CLUSTER_WIDE = {
    "APIService",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
}
SELECTORS = {
    "app.kubernetes.io/name": "lockstep",
    "app.kubernetes.io/instance": "lockstep",
    "app.kubernetes.io/component": "operator",
}
DESCRIBING = {
    "app.kubernetes.io/version",
    "app.kubernetes.io/part-of",
    "app.kubernetes.io/managed-by",
    "helm.sh/chart",
}

# Each rendering makes another one.
MAKES_CERTIFICATES = {"answering-values", "secured-values"}

each_values_file = pytest.mark.parametrize("values", [pytest.param(file, id=file.stem) for file in VALUES_FILES])


@each_values_file
def test_chart_passes_the_strict_check(values):
    done = helm("lint", "--strict", str(CHART), f"--values={values}")

    assert done.returncode == 0, done.stdout
    assert re.findall(r"^\[(?:WARNING|ERROR)\].*", done.stdout, re.MULTILINE) == []


@each_values_file
def test_every_object_says_whose_it_is_and_where_it_belongs(values):
    ours = [one for one in render(values, *HAS_MONITORING).all if one["kind"] != "ConfigMap"]

    for one in ours:
        metadata = one["metadata"]
        assert metadata["labels"].keys() >= SELECTORS.keys() | DESCRIBING, one["kind"]
        assert ("namespace" in metadata) == (one["kind"] not in CLUSTER_WIDE), one["kind"]


@each_values_file
def test_every_template_holds_one_object_at_most(values):
    text = render_text(values, *HAS_MONITORING)
    sources = re.findall(r"^# Source: (\S+)$", text, re.MULTILINE)
    several = {source for source in sources if sources.count(source) > 1}

    assert several <= {"lockstep/templates/extra-objects.yaml"}


@pytest.mark.parametrize(
    "values", [pytest.param(file, id=file.stem) for file in VALUES_FILES if file.stem not in MAKES_CERTIFICATES]
)
def test_same_values_give_the_same_objects_where_no_certificate_is_made(values):
    assert render_text(values, *HAS_MONITORING) == render_text(values, *HAS_MONITORING)


def test_kinds_are_those_of_the_repository():
    rendered = render(None, "--set=crds.enabled=true,sweeps.enabled=true,fairShares.enabled=true", kinds=True)
    [*sources] = [load_all(file.read_text())[0] for file in sorted((CHART.parents[1] / "crds").glob("*.yaml"))]

    definitions = [one for one in rendered.all if one["kind"] == "CustomResourceDefinition"]
    assert [one["spec"] for one in definitions] == [one["spec"] for one in sources]
    assert [one["metadata"]["name"] for one in definitions] == [one["metadata"]["name"] for one in sources]


@pytest.mark.parametrize(
    ("crds", "want"),
    [
        pytest.param({}, {"helm.sh/resource-policy": "keep"}, id="kept"),
        pytest.param({"keep": False}, None, id="not kept"),
        pytest.param(
            {"annotations": {"owner": "me"}}, {"helm.sh/resource-policy": "keep", "owner": "me"}, id="kept, with more"
        ),
        pytest.param({"keep": False, "annotations": {"owner": "me"}}, {"owner": "me"}, id="not kept, with more"),
    ],
)
def test_kinds_are_kept_by_an_annotation(crds, want):
    rendered = render({"crds": crds}, "--show-only=templates/crds/nodebids.yaml", kinds=True)

    assert rendered.one("CustomResourceDefinition")["metadata"].get("annotations") == want


def test_selectors_are_those_of_the_first_release_for_ever():
    """A Deployment's selector can't be changed: another one would break every upgrade."""
    rendered = render(
        {
            "metrics": {"serviceMonitor": {"enabled": True}},
            "networkPolicy": {"enabled": True},
            "commonLabels": {"a": "b"},
        },
        *HAS_MONITORING,
    )

    assert rendered.one("Deployment")["spec"]["selector"] == {"matchLabels": SELECTORS}
    assert rendered.one("Service")["spec"]["selector"] == SELECTORS
    assert rendered.one("PodDisruptionBudget")["spec"]["selector"] == {"matchLabels": SELECTORS}
    assert rendered.one("NetworkPolicy")["spec"]["podSelector"] == {"matchLabels": SELECTORS}
    assert rendered.one("ServiceMonitor")["spec"]["selector"] == {"matchLabels": SELECTORS}


def test_test_pod_is_not_selected_as_an_operator():
    labels = render().one("Pod", "lockstep-test")["metadata"]["labels"]

    assert not SELECTORS.items() <= labels.items()


def test_chart_takes_the_oldest_release_of_kubernetes_that_was_run_and_none_before_it():
    oldest = releases()[0]
    major, minor = oldest.split(".")

    assert render(None, f"--kube-version={oldest}.0").names() == render().names()
    with pytest.raises(RefusedError, match="incompatible with Kubernetes"):
        render(None, f"--kube-version={major}.{int(minor) - 1}.99")


def test_chart_needs_nothing_but_its_folder(tmp_path):
    packed = helm("package", str(CHART), f"--destination={tmp_path}")

    assert packed.returncode == 0, packed.stderr
    [archive] = tmp_path.glob("lockstep-*.tgz")
    assert render(chart=Path(archive)).names() == render().names()
