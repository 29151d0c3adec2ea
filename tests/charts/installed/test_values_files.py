"""Every values file on a real control plane: alone, and one after the other."""

import pytest

from charts.cluster import KEPT, at
from charts.helm import VALUES_FILES
from searches import sample


@pytest.fixture
def prepared(release, monitored):
    """A release that is not installed yet, and what some values expect to be there."""
    monitored.apply([{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": at(release, "gangs")}])
    return release


@pytest.mark.parametrize("values", [pytest.param(file, id=file.stem) for file in VALUES_FILES])
def test_every_values_file_is_installed_and_leaves_nothing(values, prepared):
    prepared.install(values)
    manifests = prepared.manifests()

    assert prepared.operators()
    assert len(prepared.present()) == len(manifests)

    prepared.uninstall()

    kept = {one["metadata"]["name"] for one in manifests if KEPT in one["metadata"].get("annotations", {}).items()}
    left = prepared.api.kubectl(
        "get",
        "--all-namespaces",
        "--selector=app.kubernetes.io/managed-by=Helm",
        "--output=name",
        "all,serviceaccounts,secrets,configmaps,leases,roles,rolebindings,clusterroles,clusterrolebindings,"
        "poddisruptionbudgets,networkpolicies,servicemonitors,prometheusrules,customresourcedefinitions,"
        "validatingadmissionpolicies,validatingadmissionpolicybindings",
    )
    assert {name.rpartition("/")[2] for name in left.split()} == kept


def test_release_goes_from_one_values_file_to_the_next(prepared, pytestconfig):
    first, *others = sample(pytestconfig, "upgrades", VALUES_FILES, least=3)
    prepared.install(first)

    for values in (*others, first):
        prepared.upgrade(values)
        assert len(prepared.present()) == len(prepared.manifests()), values.stem
