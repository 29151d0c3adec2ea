"""A claim for a volume: refused until it is bound, then obeyed."""

import pytest

from builders.manifests import gang

pytestmark = pytest.mark.usefixtures("operator")

VOLUMES = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]


def terms_for(node):
    fields = [{"key": "metadata.name", "operator": "In", "values": [node]}]
    return {"required": {"nodeSelectorTerms": [{"matchFields": fields}]}}


@pytest.fixture
def bind_claim(arena):
    """Makes a volume that one node reaches, and binds the claim ``data`` to it; deletes it after the test."""
    name = f"volume-of-{arena.pool}"
    shared = {"accessModes": ["ReadWriteMany"], "storageClassName": ""}

    def bind(node):
        volume = {
            **shared,
            "capacity": {"storage": "1Gi"},
            "local": {"path": "/data"},
            "nodeAffinity": terms_for(node),
            "persistentVolumeReclaimPolicy": "Retain",
        }
        claim = {**shared, "volumeName": name, "resources": {"requests": {"storage": "1Gi"}}}
        arena.api.request("POST", "/api/v1/persistentvolumes", {"metadata": {"name": name}, "spec": volume})
        path = f"/api/v1/namespaces/{arena.namespace}/persistentvolumeclaims"
        arena.api.request("POST", path, {"metadata": {"name": "data"}, "spec": claim})

    yield bind
    arena.api.request("DELETE", f"/api/v1/persistentvolumes/{name}")


def test_gang_waits_for_its_claim_and_goes_where_the_volume_is(arena, bind_claim):
    names = arena.add_nodes(3)
    arena.submit(gang("heat", size=2, pod={"volumes": VOLUMES}))
    refused = arena.until("heat", "Accepted", "False", "ClaimNotReady")
    assert refused["message"] == "Claim data does not exist (template.spec.volumes[0].persistentVolumeClaim)."

    bind_claim(names[1])

    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) == {names[1]}
    assert arena.condition("heat", "Accepted")["status"] == "True"
