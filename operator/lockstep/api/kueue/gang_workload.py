"""Workloads of Kueue that the operator makes for GangJobs in a queue, as Kueue's external frameworks do."""

import hashlib
from collections.abc import Iterator
from typing import Any

from coschedule import Sizes
from lockstep.api.client.answer import Target
from lockstep.api.client.object_names import segment
from lockstep.api.common_objects import Owner, owning_gang
from lockstep.api.conditions import condition_of, has_condition
from lockstep.api.kueue.workload import QUOTA_RESERVED, quota_since, stated_checks
from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.membership import owner_reference
from lockstep.api.podgang.kueue import KUEUE_PREFIX, KUEUE_VERSION
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.gang.role_sizes import fewest_with_time
from lockstep.facts.gang.workload import Conditions, GangWorkload, Quota

_UID_LABEL = f"{KUEUE_PREFIX}job-uid"
# Kueue uses this name for the only pod set of a Workload with a single template.
_ONLY_POD_SET = "main"
_LONGEST_NAME = 63
_DIGEST = 10
# The most characters of a message that are kept. Kueue accepts 32,768, but people read fewer.
_LONGEST_SAYING = 300


def workload_name(gang: str, uid: str) -> str:
    """The name of the Workload of a GangJob.

    The name is the same for each try to create the Workload, and differs for a later GangJob with the same name.
    """
    digest = hashlib.sha256(uid.encode()).hexdigest()[:_DIGEST]
    most = _LONGEST_NAME - _DIGEST - 1
    return f"{f'gangjob-{gang}'[:most].rstrip('-.')}-{digest}"


def gang_workloads_of(namespace: str) -> Target:
    """The place of the Workloads of a namespace in the API."""
    return Target(f"/apis/{KUEUE_VERSION}/namespaces/{segment(namespace)}/workloads", "workloads")


def made_for_gang(workload: Manifest) -> Owner | None:
    """The GangJob for which the operator made the Workload; None for all others, even if a GangJob owns them.

    Only the metadata is read, so that each Workload has an identity, whatever its spec and status say.
    """
    owner = owning_gang(workload)
    is_made = owner is not None and workload["metadata"]["name"] == workload_name(owner.gang.name, owner.uid)
    return owner if is_made else None


def parse_gang_workload(workload: Manifest) -> GangWorkload | None:
    """Parse the Workload that the operator made for a GangJob; None for all others, as in :func:`made_for_gang`."""
    owner, metadata = made_for_gang(workload), workload["metadata"]
    if owner is None:
        return None
    status, spec = workload.get("status") or {}, workload["spec"]
    return GangWorkload(
        gang=owner.gang,
        gang_uid=owner.uid,
        name=metadata["name"],
        uid=metadata["uid"],
        queue=spec.get("queueName") or "",
        is_off="deletionTimestamp" in metadata or not spec.get("active", True),
        quota_since=quota_since(status),
        quotas=dict(_quotas(workload)),
        conditions=Conditions(*(has_condition(status, kind) for kind in ("Admitted", "Evicted", "Finished"))),
        checks=stated_checks(status),
        says=_says(status),
    )


def gang_workload(gang: AcceptedGang, priority: int, priority_class: str) -> NewManifest:
    """The Workload to create for a GangJob.

    It asks for quota for the most members, or for fewer by partial admission.
    """
    key = gang.key
    spec: dict[str, Any] = {
        "queueName": gang.policies.queue,
        "podSets": [_pod_set(*one) for one in _wanted(gang)],
        "priority": priority,
    }
    if priority_class:
        spec["priorityClassRef"] = {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": priority_class}
    metadata = {
        "name": workload_name(key.name, gang.uid),
        "namespace": key.namespace,
        "labels": {_UID_LABEL: gang.uid},
        "ownerReferences": [owner_reference(gang)],
    }
    return {"apiVersion": KUEUE_VERSION, "kind": "Workload", "metadata": metadata, "spec": spec}


def asks_for(workload: Manifest, gang: AcceptedGang) -> bool:
    """Whether a Workload asks for what the gang needs now: its queue, and the numbers of its members."""
    asked = [(one["name"], one.get("count"), one.get("minCount")) for one in workload["spec"]["podSets"]]
    wanted = [(pod_set_of(role.name), sizes.most, fewest) for role, sizes, fewest in _wanted(gang)]
    return (workload["spec"].get("queueName"), asked) == (gang.policies.queue, wanted)


def pod_set_of(role: str) -> str:
    """The name of the Workload's pod set for the members of a role."""
    return role or _ONLY_POD_SET


def _wanted(gang: AcceptedGang) -> Iterator[tuple[RoleSpec, Sizes, int | None]]:
    """Yield each role with its sizes, and with its least size if Kueue may admit fewer members, or else None.

    In a Workload, Kueue accepts only one pod set with a least size. This is the first role with several sizes.
    """
    sizes = [gang.wanted_sizes(role) for role in gang.spec.roles]
    fewest = fewest_with_time(sizes, gang.spec.roles, gang.spec.work)
    varying = next((number for number, one in enumerate(sizes) if one.vary), None)
    for number, (role, one) in enumerate(zip(gang.spec.roles, sizes, strict=True)):
        yield role, one, fewest[number] if number == varying else None


def _pod_set(role: RoleSpec, sizes: Sizes, fewest: int | None) -> NewManifest:
    template = role.template.document.decoded()
    metadata = {field: (template.get("metadata") or {}).get(field) or {} for field in ("labels", "annotations")}
    fewer = {} if fewest is None else {"minCount": fewest}
    pods = {"metadata": metadata, "spec": template["spec"]}
    return {"name": pod_set_of(role.name), "count": sizes.most, **fewer, "template": pods}


def _quotas(workload: Manifest) -> Iterator[tuple[str, Quota]]:
    """The quota of each pod set, as in Kueue: the smaller of two numbers of pods.

    One is the number of admitted pods. The other is the number of all pods of the set whose quota was not given back.
    """
    status = workload.get("status") or {}
    left = {one["name"]: int(one.get("count", 1)) for one in workload["spec"]["podSets"]}
    for one in status.get("reclaimablePods") or ():
        left[one["name"]] -= int(one["count"])
    for one in (status.get("admission") or {}).get("podSetAssignments") or ():
        asked = left[one["name"]]
        flavors = tuple(sorted({*(one.get("flavors") or {}).values()}))
        yield one["name"], Quota(min(asked, int(one.get("count", asked))), flavors)


def _says(status: Manifest) -> str:
    """Kueue's message about why it took the quota away, or why it has given no quota; '' if it has done neither."""
    for kind, wanted in (("Evicted", "True"), (QUOTA_RESERVED, "False")):
        found = condition_of(status, kind)
        if found is not None and found["status"] == wanted:
            return str(found.get("message") or "")[:_LONGEST_SAYING]
    return ""
