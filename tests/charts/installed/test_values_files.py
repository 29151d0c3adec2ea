"""Every values file on a real control plane: alone, and one after the other."""

import pytest

from charts.cluster import KEPT, Release, at
from charts.helm import VALUES_FILES
from searches import sample

KINDS = (
    "all,serviceaccounts,secrets,configmaps,leases,roles,rolebindings,clusterroles,clusterrolebindings,"
    "poddisruptionbudgets,networkpolicies,servicemonitors,prometheusrules,customresourcedefinitions,"
    "validatingadmissionpolicies,validatingadmissionpolicybindings,apiservices,"
    "mutatingadmissionpolicies,mutatingadmissionpolicybindings"
)


# The class of recording-values. What it provisions is here a volume that is there.
VOLUME = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "of-the-recorder"},
    "spec": {
        "storageClassName": "fast",
        "capacity": {"storage": "2Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/nowhere"},
    },
}


@pytest.fixture(scope="module")
def release(cluster, chart):
    """One for all tests of this file, which takes over our kinds where the last test has left them: they cost most."""
    release = Release(cluster, chart, "values-files")
    cluster.apply([VOLUME])
    yield release
    release.close()


@pytest.fixture
def prepared(release, monitored):
    """A release that is not installed, before and after, and what some values expect to be there."""
    monitored.apply([{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": at(release, "gangs")}])
    yield release
    if release.is_installed():
        release.uninstall()


def by_helm(release):
    """The names of all that Helm has made and that is there."""
    options = ("--all-namespaces", "--selector=app.kubernetes.io/managed-by=Helm", "--output=name")
    return {name.rpartition("/")[2] for name in release.api.kubectl("get", *options, KINDS).split()}


@pytest.mark.parametrize("values", [pytest.param(file, id=file.stem) for file in VALUES_FILES])
def test_every_values_file_is_installed_and_leaves_nothing(values, prepared):
    before = by_helm(prepared)
    prepared.install(values)
    manifests = prepared.manifests()

    assert prepared.operators()
    assert len(prepared.present()) == len(manifests)

    prepared.uninstall()

    kept = {one["metadata"]["name"] for one in manifests if KEPT in one["metadata"].get("annotations", {}).items()}
    of_others = before - {one["metadata"]["name"] for one in manifests}
    assert by_helm(prepared) == kept | of_others


def test_release_goes_from_one_values_file_to_the_next(prepared, pytestconfig):
    first, *others = sample(pytestconfig, "upgrades", VALUES_FILES, least=2)
    prepared.install(first)

    for values in (*others, first):
        prepared.upgrade(values)
        assert len(prepared.present()) == len(prepared.manifests()), values.stem
