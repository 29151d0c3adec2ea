"""kube-scheduler's own gang scheduling, to be measured beside Lockstep: what it asks of a control plane, and its gangs.

It binds the pods of a PodGroup together, and creates none: a user who wants a gang creates the group and the pods.
"""

from collections.abc import Mapping
from typing import Any

from bench_cluster import NAMESPACE

from live.scheduling_groups import RELEASE
from lockstep.api.client.answer import Target
from sandbox import Component

GROUPS = Target(f"/apis/{RELEASE.version}/namespaces/{NAMESPACE}/podgroups", "podgroups")

# Those of its features that gangs need.
_ENABLED = [gate for gate in ("GenericWorkload", "GangScheduling") if gate in RELEASE.gates]
_GATES = f"--feature-gates={','.join(f'{gate}=true' for gate in _ENABLED)}"
# Every bind is a request: by itself kube-scheduler sends 50 a second at most, and nothing else would be measured.
UNTHROTTLED = ("--kube-api-qps=10000", "--kube-api-burst=10000")
"""Flags of a component without limits of its own for requests."""

FLAGS: Mapping[Component, tuple[str, ...]] = {
    Component.API_SERVER: (_GATES, f"--runtime-config={RELEASE.version}=true"),
    Component.SCHEDULER: (_GATES, *UNTHROTTLED),
}


def pod_group(name: str, size: int) -> dict[str, Any]:
    """A gang of which that many members are bound together, or none."""
    return {
        "apiVersion": RELEASE.version,
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {"schedulingPolicy": {"gang": {"minCount": size}}},
    }


def in_group(pod: Mapping[str, Any], group: str) -> dict[str, Any]:
    """The same pod as a member of a group of kube-scheduler's."""
    spec = {**pod["spec"], "schedulerName": "default-scheduler", "schedulingGroup": {"podGroupName": group}}
    return {**pod, "spec": spec}
