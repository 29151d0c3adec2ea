"""PodGroups of Kubernetes itself (``scheduling.k8s.io``): their requirements, and the condition about their placement.

Pods name a PodGroup in ``spec.schedulingGroup``. kube-scheduler writes the condition for pods whose scheduler is
kube-scheduler, and Lockstep writes it for pods whose scheduler is Lockstep.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.names import NEVER_PREEMPTS, SIZED_ANNOTATION
from lockstep.api.podgang.first_pods import FirstPods
from lockstep.api.podgang.section import Section
from lockstep.api.quantities import rfc3339

PODS_IN_ALL = "podsInAll"
"""How many pods of a PodGroup have succeeded once its Job is complete.

The operator adds this field from the Job. PodGroups in the API server do not have it.
"""

_GROUP = "scheduling.k8s.io"
_OF_1_36 = f"{_GROUP}/v1alpha2"
VERSIONS = (f"{_GROUP}/v1beta1", f"{_GROUP}/v1alpha3", _OF_1_36)
"""The versions that can be read, the newest first. Kubernetes 1.37 has the first two, and 1.36 has the last one."""

# The most characters of a message that the API server accepts.
_MOST_MESSAGE = 32768


class GroupCondition(NamedTuple):
    """Whether the pods of a PodGroup have got their nodes, and a sentence about this."""

    is_scheduled: bool
    message: str


def scheduling_group_of(pod: Manifest) -> str:
    """The name of the PodGroup to which a pod belongs; '' for none.

    A pod with our annotation for sizes belongs to the Gang of its Job, so the name is '': this Job got its size from
    us. From Kubernetes 1.37 on, such a Job has a PodGroup, too, which exists before the Job has its size.
    """
    if SIZED_ANNOTATION in (pod["metadata"].get("annotations") or {}):
        return ""
    return str((pod["spec"].get("schedulingGroup") or {}).get("podGroupName") or "")


def of_scheduling_group(group: Section) -> Sequence[FirstPods]:
    """The pods that must be placed together. Other controllers make them.

    With the policy ``basic``, each pod is placed by itself, so the number is 1.
    """
    policy = group.section("spec").section("schedulingPolicy")
    return [FirstPods(policy.section("gang").number("minCount", otherwise=1), None)]


def all_of_scheduling_group(group: Section) -> int:
    """The number of the group's pods that have succeeded once its Job is complete; 0 if it is unknown."""
    return group.section("spec").number(PODS_IN_ALL, otherwise=0)


def domain_of_scheduling_group(group: Section) -> str:
    """The label of nodes by which all pods of the group must be in one domain; '' if they may be anywhere.

    Raises ``ValueError`` for several labels, and for a group that is a part of another group.
    """
    spec = group.section("spec")
    if spec.has("parentCompositePodGroupName"):
        raise ValueError("spec.parentCompositePodGroupName: Lockstep places each PodGroup by itself")
    topology = spec.section("schedulingConstraints").sections("topology")
    if len(topology) > 1:
        raise ValueError(f"{topology[1].path}: a Gang has one domain, so it can't have a second label")
    return topology[0].text("key") if topology else ""


def priority_of_scheduling_group(group: Manifest) -> int | None:
    """The priority of the group, which the API server derives from the group's priority class; None without one."""
    priority = group["spec"].get("priority")
    return None if priority is None else int(priority)


def scheduling_group_preempts(group: Section) -> bool:
    """Whether the group may preempt others. The API server ensures that its priority class says the same."""
    return group.section("spec").text("preemptionPolicy") != NEVER_PREEMPTS


def condition_patch(group: Manifest, version: str, condition: GroupCondition, now: float) -> dict[str, Any] | None:
    """The merge patch of the status with this condition; None if the status has it, or if the pods had nodes before.

    As with kube-scheduler, a group that was scheduled once stays so. The patch applies only to the version that was
    read.
    """
    kind = "PodGroupScheduled" if version == _OF_1_36 else "PodGroupInitiallyScheduled"
    conditions = (group.get("status") or {}).get("conditions") or []
    before: Manifest = next((one for one in conditions if one["type"] == kind), {})
    says = _says(condition)
    if before.get("status") == "True" or {**before, **says} == before:
        return None
    is_same = before.get("status") == says["status"]
    since = before["lastTransitionTime"] if is_same else rfc3339(now)
    observed = group["metadata"].get("generation", 0)
    written = {"type": kind, **says, "lastTransitionTime": since, "observedGeneration": observed}
    others = [one for one in conditions if one["type"] != kind]
    metadata = {name: group["metadata"][name] for name in ("uid", "resourceVersion")}
    return {"metadata": metadata, "status": {"conditions": [*others, written]}}


def _says(condition: GroupCondition) -> dict[str, str]:
    status, reason = ("True", "Scheduled") if condition.is_scheduled else ("False", "Unschedulable")
    return {"status": status, "reason": reason, "message": condition.message[:_MOST_MESSAGE]}
