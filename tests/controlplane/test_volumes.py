"""Volumes that wait for their first consumer: made where the members are, or the members go where they are."""

from collections.abc import Iterator

import pytest

from builders.manifests import gang
from builders.volumes import claim_spec, claim_templates, claiming, ephemeral
from eventually import eventually
from live.provisioner import VOLUMES, Provisioner, provisioning

pytestmark = pytest.mark.usefixtures("operator")

HOSTNAME = "kubernetes.io/hostname"


@pytest.fixture
def provisioner(arena, background) -> Iterator[Provisioner]:
    """A provisioner of the arena's own, with one class that waits."""
    with provisioning(arena.api, arena.namespace, f"{arena.pool}.example.com", background) as provisioner:
        provisioner.add_class()
        yield provisioner


def add_claim(arena, storage_class, *, name="data", mode="ReadWriteMany"):
    path = f"{arena.core}/persistentvolumeclaims"
    arena.api.request("POST", path, {"metadata": {"name": name}, "spec": claim_spec(storage_class, mode=mode)})


def claims(arena):
    items = arena.api.request("GET", f"{arena.core}/persistentvolumeclaims")["items"]
    return {item["metadata"]["name"]: item for item in items}


def node_of_claim(arena, claim):
    """The node that reaches the volume of a claim."""
    volume = arena.api.request("GET", f"{VOLUMES}/{claim['spec']['volumeName']}")
    [term] = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    return term["matchExpressions"][0]["values"][0]


def rank_nodes(arena, name):
    return {pod["metadata"]["labels"]["lockstep.dev/rank"]: pod["spec"]["nodeName"] for pod in arena.pods(name)}


def test_every_member_has_a_claim_of_its_own_where_it_is(arena, provisioner):
    arena.add_nodes(3, cpu="1")

    arena.submit(gang("heat", size=3, volumeClaimTemplates=claim_templates(provisioner.name)))

    arena.until_placed("heat")
    found, nodes = claims(arena), rank_nodes(arena, "heat")
    assert sorted(found) == ["data-heat-0", "data-heat-1", "data-heat-2"]
    assert {rank: node_of_claim(arena, found[f"data-heat-{rank}"]) for rank in nodes} == nodes
    owners = {one["metadata"]["ownerReferences"][0]["uid"] for one in found.values()}
    assert owners == {arena.gang("heat")["metadata"]["uid"]}
    [volume] = [one for one in arena.pods("heat")[1]["spec"]["volumes"] if one["name"] == "data"]
    assert volume["persistentVolumeClaim"] == {"claimName": "data-heat-1"}


def test_after_a_restart_every_rank_is_where_its_volume_is(arena, provisioner):
    arena.add_nodes(4, cpu="2")
    arena.submit(gang("heat", size=3, volumeClaimTemplates=claim_templates(provisioner.name)))
    arena.until_placed("heat")
    before = rank_nodes(arena, "heat")

    arena.delete_pod("heat-1-1")

    eventually(lambda: arena.status("heat").get("attempt") == 2)
    arena.until_placed("heat")
    assert rank_nodes(arena, "heat") == before


def test_node_that_a_provisioner_refuses_is_left_for_another(arena, provisioner):
    first, second = arena.add_nodes(2, cpu="1")
    provisioner.refuses.add(first)

    arena.submit(gang("heat", size=1, volumeClaimTemplates=claim_templates(provisioner.name)))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == [second]
    assert arena.status("heat")["attempt"] == 2
    assert provisioner.selected["data-heat-0"] == [first, second]


def test_member_whose_volume_was_made_stays_while_another_node_is_found_for_the_other(arena, provisioner):
    names = arena.add_nodes(4, cpu="1")
    provisioner.refuses.add(names[1])
    arena.submit(gang("heat", size=2, volumeClaimTemplates=claim_templates(provisioner.name)))

    arena.until_placed("heat")

    nodes = rank_nodes(arena, "heat")
    assert names[1] not in nodes.values()
    assert nodes == {rank: node_of_claim(arena, claims(arena)[f"data-heat-{rank}"]) for rank in nodes}
    assert provisioner.selected["data-heat-0"][-1] == nodes["0"]


def test_gang_that_no_node_has_volumes_for_waits_with_a_sentence(arena, provisioner):
    names = arena.add_nodes(2, cpu="1")
    provisioner.refuses.update(names)

    arena.submit(gang("heat", size=1, volumeClaimTemplates=claim_templates(provisioner.name)))

    planned = arena.until("heat", "Planned", "False", "NoNodeFits")
    assert "2 where its volumes could not be created recently" in planned["message"]


def test_volume_that_goes_with_its_pod_is_made_where_the_member_is(arena, provisioner):
    arena.add_nodes(2, cpu="1")

    arena.submit(gang("heat", size=2, pod=ephemeral(provisioner.name)))

    arena.until_placed("heat")
    found = claims(arena)
    nodes = {f"heat-1-{rank}-scratch": node for rank, node in rank_nodes(arena, "heat").items()}
    assert {name: node_of_claim(arena, claim) for name, claim in found.items()} == nodes


def test_members_that_share_an_unbound_claim_end_up_where_its_volume_is(arena, provisioner):
    arena.add_nodes(2, cpu="2")
    add_claim(arena, provisioner.name)

    arena.submit(gang("heat", size=2, pod=claiming()))

    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) == {node_of_claim(arena, claims(arena)["data"])}


def test_volume_is_made_where_the_topology_of_its_class_allows(arena, provisioner):
    _, second, _ = arena.add_nodes(3)
    topology = [{"matchLabelExpressions": [{"key": HOSTNAME, "values": [second]}]}]
    name = provisioner.add_class("-there", allowedTopologies=topology)

    arena.submit(gang("heat", size=2, volumeClaimTemplates=claim_templates(name)))

    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) == {second}


def test_volume_is_made_where_its_driver_publishes_room(arena, provisioner):
    _, second = arena.add_nodes(2)
    arena.create_storage("csidrivers", {"metadata": {"name": provisioner.name}, "spec": {"storageCapacity": True}})
    arena.submit(gang("heat", size=1, volumeClaimTemplates=claim_templates(provisioner.name)))
    planned = arena.until("heat", "Planned", "False", "NoNodeFits")
    assert "2 without room for the volumes of its claims" in planned["message"]

    arena.api.request(
        "POST",
        f"/apis/storage.k8s.io/v1/namespaces/{arena.namespace}/csistoragecapacities",
        {
            "metadata": {"name": "room"},
            "storageClassName": provisioner.name,
            "nodeTopology": {"matchLabels": {HOSTNAME: second}},
            "capacity": "2Gi",
        },
    )

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == [second]


def test_volumes_that_an_administrator_made_are_promised_to_claims(arena, provisioner):
    names = arena.add_nodes(3)
    name = provisioner.add_class("-local", provisioner="kubernetes.io/no-provisioner")
    for node in names[1:]:
        arena.api.request("POST", VOLUMES, local_volume(f"{arena.pool}-{node}", name, node))

    arena.submit(gang("heat", size=2, volumeClaimTemplates=claim_templates(name)))

    arena.until_placed("heat")
    assert sorted(rank_nodes(arena, "heat").values()) == names[1:]
    assert {rank: node_of_claim(arena, claims(arena)[f"data-heat-{rank}"]) for rank in "01"} == rank_nodes(
        arena, "heat"
    )


def local_volume(name, storage_class, node):
    here = {"key": HOSTNAME, "operator": "In", "values": [node]}
    return {
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": storage_class,
            "persistentVolumeReclaimPolicy": "Retain",
            "local": {"path": "/data"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}},
        },
    }


def test_storage_class_that_does_not_exist_yet_is_waited_for(arena, provisioner):
    arena.add_nodes(1)
    arena.submit(gang("heat", size=1, volumeClaimTemplates=claim_templates(f"{provisioner.name}-later")))
    refused = arena.until("heat", "Accepted", "False", "ClaimNotReady")
    assert refused["message"] == (
        f"The claim is of storage class {provisioner.name}-later, which does not exist (volumeClaimTemplates[0])."
    )

    provisioner.add_class("-later")

    arena.until_placed("heat")
