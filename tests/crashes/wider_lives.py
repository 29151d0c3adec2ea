"""Lives in which a gang needs more than pods: names and a host file, or volumes."""

from collections.abc import Mapping
from typing import Any

from builders.volumes import claim_templates
from crashes.stage import PATIENCE_SECONDS, SIZE, Stage
from eventually import eventually
from live.provisioner import SELECTED_NODE, VOLUMES, volume_on

GO = "lockstep.dev/go"


def find_each_other(stage: Stage) -> None:
    """Placed with a Service, a host file and a gate before each member; all gates are opened, once for all."""
    stage.submit(network={"rendezvous": "MPI", "startBarrier": {"timeout": "10m"}})
    stage.until("Placed")
    eventually(lambda: _may_go(stage) == [True] * SIZE, seconds=PATIENCE_SECONDS)
    core, uid = stage.arena.core, stage.arena.gang(stage.name)["metadata"]["uid"]
    service = stage.arena.api.request("GET", f"{core}/services/{stage.name}")
    hosts = stage.arena.api.request("GET", f"{core}/configmaps/{stage.name}-hosts")
    assert [_owner(one) for one in (service, hosts)] == [uid, uid]
    names = [f"{stage.name}-1-{rank}.{stage.name}" for rank in range(SIZE)]
    assert hosts["data"]["hostfile"] == "".join(f"{name} slots=1\n" for name in names)


def keep_data(stage: Stage) -> None:
    """Placed once its members' volumes were made; a member is lost; placed anew with the volumes it had."""
    made = f"{stage.name}.example.com"
    waits = {"provisioner": made, "volumeBindingMode": "WaitForFirstConsumer", "reclaimPolicy": "Retain"}
    stage.arena.create_storage("storageclasses", {"metadata": {"name": made}, **waits})
    stage.submit(volumeClaimTemplates=claim_templates(made))
    eventually(lambda: _provide(stage) == SIZE, seconds=PATIENCE_SECONDS)
    stage.until("Placed")
    before = {one["metadata"]["name"]: one["spec"]["volumeName"] for one in _claims(stage)}
    stage.arena.delete_pod(f"{stage.name}-1-{SIZE - 1}")
    eventually(lambda: stage.arena.status(stage.name)["attempt"] > 1, seconds=PATIENCE_SECONDS)
    stage.until("Placed")
    assert {one["metadata"]["name"]: one["spec"]["volumeName"] for one in _claims(stage)} == before
    assert len(stage.arena.pods(stage.name)) == SIZE


def _may_go(stage: Stage) -> list[bool]:
    return [GO in (pod["metadata"].get("annotations") or {}) for pod in stage.arena.pods(stage.name)]


def _owner(manifest: Mapping[str, Any]) -> str:
    [owner] = manifest["metadata"]["ownerReferences"]
    return str(owner["uid"])


def _provide(stage: Stage) -> int:
    """Make the volumes of claims that have a selected node; returns how many of the gang's claims have theirs."""
    volumes = {one["metadata"]["name"] for one in stage.arena.api.request("GET", VOLUMES)["items"]}
    claims = _claims(stage)
    for claim in claims:
        node = (claim["metadata"].get("annotations") or {}).get(SELECTED_NODE)
        if node and f"volume-{claim['metadata']['uid']}" not in volumes:
            stage.arena.api.request("POST", VOLUMES, volume_on(node, claim))
    return sum("volumeName" in claim["spec"] for claim in claims)


def _claims(stage: Stage) -> list[dict[str, Any]]:
    listed = stage.arena.api.request("GET", f"{stage.arena.core}/persistentvolumeclaims")["items"]
    return [claim for claim in listed if stage.name in claim["metadata"]["name"]]
