"""The life of a release: what installing, upgrading, going back and uninstalling do to a cluster."""

import pytest

from charts.cluster import DEFINITIONS, KINDS, at
from charts.helm import ROOT
from eventually import eventually
from sandbox import ApiError, HelmError, KubectlError

DEPLOYMENT = "apps/v1/deployments/lockstep"
LEASE = "coordination.k8s.io/v1/leases/lockstep"


def test_life_of_a_release(release, cluster):
    said = release.install()

    assert "helm test lockstep" in said
    nodes = {pod["spec"]["nodeName"] for pod in release.operators()}
    assert len(nodes) == 2
    assert len(release.present()) == len(release.manifests())
    first = release.read(DEPLOYMENT)

    release.upgrade({"log": {"level": "debug"}, "replicaCount": 3})

    assert len(release.operators()) == 3
    assert "--log-level=debug" in arguments(release)
    assert release.read(DEPLOYMENT)["spec"]["selector"] == first["spec"]["selector"]

    release.rollback(1)

    eventually(lambda: len(release.operators()) == 2)
    assert "--log-level=info" in arguments(release)

    create_gang(release)
    kept = release.uninstall()

    assert "kept due to the resource policy" in kept
    assert all(name in kept for name in KINDS)
    eventually(lambda: not release.operators())
    gangs = cluster.request("GET", f"/apis/lockstep.dev/v1alpha1/namespaces/{release.namespace}/gangjobs")
    assert [gang["metadata"]["name"] for gang in gangs["items"]] == ["stays"]

    release.install()
    assert len(release.present()) == len(release.manifests())


def test_kinds_that_are_not_kept_go_with_the_release(release, cluster):
    release.install({"crds": {"keep": False}})
    release.uninstall()

    for name in KINDS:
        with pytest.raises(ApiError, match="answered 404"):
            cluster.request("GET", f"{DEFINITIONS}/{name}")


def test_two_releases_stand_side_by_side(new_release):
    first, second = new_release("lockstep"), new_release("canary")

    first.install()
    with pytest.raises(HelmError, match=r"gangjobs\.lockstep\.dev"):
        second.install()
    second.upgrade({"crds": {"enabled": False}}, "--install")

    assert first.read(LEASE)["metadata"]["name"] == "lockstep"
    assert second.read("coordination.k8s.io/v1/leases/canary-lockstep")["spec"] == {}
    assert len(first.operators()) == len(second.operators()) == 2

    second.uninstall()
    assert len(first.present()) == len(first.manifests())


def test_kinds_that_were_applied_are_taken_over_as_the_readme_says(release, cluster):
    cluster.apply(ROOT / "crds")
    with pytest.raises(HelmError, match="cannot be imported into the current release"):
        release.install()

    release.install(None, "--take-ownership", "--force-conflicts")

    assert len(release.present()) == len(release.manifests())


def test_typo_in_the_values_changes_nothing(release):
    with pytest.raises(HelmError, match="additional properties 'replicas' not allowed"):
        release.install({"replicas": 3})

    assert not release.is_installed()


def test_namespace_really_refuses_what_is_not_restricted(release):
    with pytest.raises(KubectlError, match='violates PodSecurity "restricted:latest"'):
        release.api.apply(
            [
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": at(release, "loose"),
                    "spec": {"containers": [{"name": "main", "image": "busybox"}]},
                }
            ]
        )


def arguments(release):
    [container] = release.read(DEPLOYMENT)["spec"]["template"]["spec"]["containers"]
    return container["args"]


def create_gang(release):
    template = {"spec": {"containers": [{"name": "main", "image": "busybox", "resources": {"requests": {"cpu": "1"}}}]}}
    gang = {
        "apiVersion": "lockstep.dev/v1alpha1",
        "kind": "GangJob",
        "metadata": at(release, "stays"),
        "spec": {"size": {"min": 1, "max": 1}, "template": template},
    }
    release.api.apply([gang])


@pytest.mark.parametrize(
    "before",
    [
        pytest.param({"replicaCount": 1, "leaderElection": {"enabled": False}}, id="no lease"),
        pytest.param({"leaderElection": {"resourceName": "elsewhere"}}, id="another lease"),
    ],
)
def test_operators_that_do_not_share_a_lease_do_not_run_side_by_side(release, before):
    # Without our kinds, which these pods only pretend to need: they cost most of an installation.
    release.install({**before, "crds": {"enabled": False}})
    # Without any value Helm would keep those of before.
    release.upgrade({"replicaCount": 2, "crds": {"enabled": False}})
    assert release.read("apps/v1/deployments/lockstep")["spec"]["strategy"] == {"type": "Recreate"}

    release.upgrade({"replicaCount": 2, "crds": {"enabled": False}})
    assert release.read("apps/v1/deployments/lockstep")["spec"]["strategy"]["type"] == "RollingUpdate"
