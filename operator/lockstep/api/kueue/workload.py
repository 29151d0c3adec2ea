"""Parses Workloads of Kueue: whether they have quota, their Gang, and the pods to come."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from lockstep.api.client.answer import Target
from lockstep.api.client.object_names import segment
from lockstep.api.cluster.event import EventSubject
from lockstep.api.conditions import condition_of, has_condition
from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.names import MEMBER_OF_LABEL
from lockstep.api.podgang.kueue import KUEUE_PREFIX, KUEUE_VERSION, AdmittedPods, admitted_pods
from lockstep.api.podgang.single_pods import controller_of
from lockstep.api.times import epoch_seconds
from lockstep.facts.gang.keys import object_name, pod_gang_key
from lockstep.facts.gang.source import Source, made_name
from lockstep.facts.gang.workload import StatedCheck, Workload

ALL_WORKLOADS = Target(f"/apis/{KUEUE_VERSION}/workloads", "workloads")
QUOTA_RESERVED = "QuotaReserved"
# If a Workload has quota and one of these conditions, it is over or about to lose the quota.
_ENDS = ("Finished", "Evicted")
# Pods name the Gang in a label, and the value of a label has at most 63 characters.
_LONGEST_GANG = 63
_DIGEST = 10
_DRY_RUN_NAME_LENGTH = 200


def workload_at(namespace: str, name: str) -> Target:
    """The place of one Workload in the API."""
    return Target(f"/apis/{KUEUE_VERSION}/namespaces/{segment(namespace)}/workloads/{segment(name)}", "workloads")


def workload_subject(namespace: str, name: str, uid: str) -> EventSubject:
    """One Workload, as the subject of events."""
    return EventSubject(KUEUE_VERSION, "Workload", namespace, name, uid)


def flavor_at(name: str) -> Target:
    """The place of one ResourceFlavor in the API."""
    return Target(f"/apis/{KUEUE_VERSION}/resourceflavors/{segment(name)}", "resourceflavors")


def parse_workload(workload: Manifest) -> Workload:
    """Parse any Workload. Its templates are not kept."""
    metadata = workload["metadata"]
    status = workload.get("status") or {}
    has_quota = "deletionTimestamp" not in metadata and not any(has_condition(status, kind) for kind in _ENDS)
    return Workload(
        gang=pod_gang_key(metadata["namespace"], gang_of_workload(metadata["name"], metadata["uid"])),
        name=metadata["name"],
        uid=metadata["uid"],
        version=_version(metadata, status),
        pods=sum(one.number for one in admitted_pods(workload)),
        quota_since=quota_since(status) if has_quota else None,
        checks=stated_checks(status),
    )


def stated_checks(status: Manifest) -> tuple[StatedCheck, ...]:
    """The answers of all AdmissionChecks in the status of a Workload."""
    return tuple(StatedCheck(one["name"], one["state"]) for one in status.get("admissionChecks") or ())


def quota_since(status: Manifest) -> float | None:
    """The time since which a Workload has had quota, by its status; None if it has none."""
    found = condition_of(status, QUOTA_RESERVED)
    return epoch_seconds(found["lastTransitionTime"]) if found is not None and found["status"] == "True" else None


def gang_of_workload(name: str, uid: str) -> str:
    """The name of the Gang of a Workload. If the name is too long for a label, a digest of the UID replaces its end."""
    whole = made_name(Source.WORKLOAD, name)
    if len(whole) <= _LONGEST_GANG:
        return whole
    digest = hashlib.sha256(uid.encode()).hexdigest()[:_DIGEST]
    return f"{whole[: _LONGEST_GANG - _DIGEST - 1].rstrip('-.')}.{digest}"


def as_owner_of_pods(workload: Manifest) -> Manifest:
    """The Workload with the annotations of its first template. The Gang is made from this result.

    Kueue copies the templates of the pods to the Workload, but not the annotations of the pods' owner.
    """
    first = next(admitted_pods(workload), None)
    annotations = {} if first is None else first.template.section("metadata").texts("annotations")
    return {**workload, "metadata": {**workload["metadata"], "annotations": annotations}}


def pod_of_workload(workload: Manifest, pods: AdmittedPods, flavors: Sequence[Manifest]) -> NewManifest:
    """A pod, for a dry run, that is like the pods of the Workload after its admission."""
    metadata = workload["metadata"]
    own = pods.template.section("metadata")
    gang = object_name(parse_workload(workload).gang)
    about = {
        "name": f"{metadata['name'][:_DRY_RUN_NAME_LENGTH]}-{pods.name}-dry-run",
        "namespace": metadata["namespace"],
        "labels": {**own.texts("labels"), **_labels_of_job(metadata), MEMBER_OF_LABEL: gang},
        "annotations": dict(own.texts("annotations")),
    }
    spec = in_flavors(dict(pods.template.fields["spec"]), flavors)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": spec}


def in_flavors(spec: Manifest, flavors: Iterable[Manifest]) -> dict[str, Any]:
    """The spec of a pod as Kueue changes it when the pod gets quota in these ResourceFlavors."""
    selector = dict(spec.get("nodeSelector") or {})
    tolerations = [*(spec.get("tolerations") or ())]
    for flavor in flavors:
        selector |= flavor["spec"].get("nodeLabels") or {}
        tolerations += flavor["spec"].get("tolerations") or ()
    # Kueue holds plain pods back with such a gate until they have quota.
    gates = [one for one in spec.get("schedulingGates") or () if not one["name"].startswith(KUEUE_PREFIX)]
    return {**spec, "nodeSelector": selector, "tolerations": tolerations, "schedulingGates": gates}


def _labels_of_job(metadata: Manifest) -> dict[str, str]:
    """The labels that the Job controller adds to pods. Affinity terms of pods may select by these labels."""
    owner = controller_of(metadata)
    if (owner.get("apiVersion"), owner.get("kind")) != ("batch/v1", "Job"):
        return {}
    labels = {"controller-uid": owner["uid"], "job-name": owner["name"]}
    return labels | {f"batch.kubernetes.io/{label}": value for label, value in labels.items()}


def _version(metadata: Manifest, status: Manifest) -> str:
    asked = orjson.dumps((metadata.get("generation", 0), status.get("admission"), quota_since(status)))
    return hashlib.sha256(asked).hexdigest()[:16]
