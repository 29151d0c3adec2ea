"""Manifests for tests on a real control plane: a case names only what it is about."""

from datetime import UTC, datetime, timedelta

API_VERSION = "lockstep.dev/v1alpha1"
POOL_LABEL = "lockstep.dev/test-pool"
IMAGE = "registry.k8s.io/pause:3.10"
RUN_FOR = "lockstep.dev/sandbox-run-for"
EXIT_CODE = "lockstep.dev/sandbox-exit-code"
NEVER_RUNS = "lockstep.dev/sandbox-never-runs"


def gang(
    name="heat", *, size=2, cpu="1", run_for=None, exit_code=None, never_runs=None, pod=None, container=None, **spec
):
    """Describe a GangJob.

    ``size``: a number or (min, max). ``run_for``: after which time members end; without it they run until they are
    deleted. With a value for ``never_runs`` they stay Pending. ``pod`` and ``container`` go over the template's pod and
    its container, ``spec`` into the spec.
    """
    low, high = size if isinstance(size, tuple) else (size, size)
    ends = {RUN_FOR: run_for, EXIT_CODE: exit_code, NEVER_RUNS: never_runs}
    return {
        "apiVersion": API_VERSION,
        "kind": "GangJob",
        "metadata": {"name": name},
        "spec": {
            "size": {"min": low, "max": high},
            **spec,
            "template": {
                "metadata": {"annotations": {key: value for key, value in ends.items() if value is not None}},
                "spec": {"containers": [member_container(cpu, container)], **(pod or {})},
            },
        },
    }


def with_launcher(manifest):
    """Give a GangJob a launcher of the same template, which does no part of the work; its members become workers."""
    spec = {field: value for field, value in manifest["spec"].items() if field not in {"size", "template"}}
    workers = {"name": "workers", "size": manifest["spec"]["size"], "template": manifest["spec"]["template"]}
    launcher = {**workers, "name": "launcher", "size": {"min": 1, "max": 1}, "load": "None"}
    return {**manifest, "spec": {**spec, "roles": [launcher, workers]}}


def member_container(cpu="1", more=None):
    """Describe the container of a pod."""
    return {"name": "main", "image": IMAGE, "resources": {"requests": {"cpu": cpu}}, **(more or {})}


def foreign_pod(name, node, *, cpu="1", **spec):
    """Describe a pod that another scheduler has put on a node."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"nodeName": node, "containers": [member_container(cpu)], **spec},
    }


def bid(node, **spec):
    """Describe what a node offers."""
    return {"apiVersion": API_VERSION, "kind": "NodeBid", "metadata": {"name": node}, "spec": spec}


def priority_class(name, value, *, policy="Never"):
    """Describe a priority class, which evicts no gang unless its ``policy`` says so."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        "preemptionPolicy": policy,
    }


def budget(name, *, least):
    """Describe a PodDisruptionBudget that keeps so many of all pods of its namespace."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"minAvailable": least, "selector": {}},
    }


def quota(name, **hard):
    """Describe a ResourceQuota."""
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": {"hard": hard}}


def failed_status(exit_code):
    """What a kubelet says of a pod whose container has failed."""
    container = {"name": "main", "image": IMAGE, "imageID": "", "ready": False, "restartCount": 0}
    return {"phase": "Failed", "containerStatuses": [{**container, "state": {"terminated": {"exitCode": exit_code}}}]}


def from_now(seconds):
    """A time as manifests have it: whole seconds, never earlier than asked for."""
    when = datetime.now(UTC) + timedelta(seconds=seconds + 1)
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")
