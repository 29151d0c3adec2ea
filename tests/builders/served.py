"""Manifests as the API server gives them: a case names only what it is about."""

from lockstep.api.names import API_VERSION, ATTEMPT_LABEL, GANG_KIND, GANG_LABEL, RANK_LABEL
from lockstep.api.quantities import rfc3339

CREATED = "2027-01-15T07:00:00Z"


def container(name="main", *, requests=None, limits=None, ports=(), **more):
    """Describe a container; ``ports`` are entries of its list of ports."""
    resources = {kind: amounts for kind, amounts in (("requests", requests), ("limits", limits)) if amounts}
    return {
        "name": name,
        "image": "work:1",
        **({"resources": resources} if resources else {}),
        **({"ports": list(ports)} if ports else {}),
        **more,
    }


def metadata(name, *, namespace=None, version="1", uid=None, **more):
    """Metadata as the API server completes it."""
    return {
        "name": name,
        **({"namespace": namespace} if namespace else {}),
        "uid": uid or f"uid-of-{name}",
        "resourceVersion": version,
        "creationTimestamp": CREATED,
        **more,
    }


def node(name, *, cpu="8", labels=None, taints=(), ready="True", cordoned=False, version="1", **allocatable):
    """Describe a node; ``ready`` is the condition's status."""
    spec = {"taints": [dict(taint) for taint in taints]} if taints else {}
    return {
        "metadata": metadata(name, version=version, labels=labels or {}),
        "spec": {**spec, **({"unschedulable": True} if cordoned else {})},
        "status": {
            "allocatable": {"cpu": cpu, "memory": "32Gi", "pods": "110", **allocatable},
            "conditions": [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": ready}],
        },
    }


def pod(name, *, node="", cpu="1", phase="Pending", spec=None, status=None, version="1", **more):
    """Describe a pod without an owner; ``more`` is further metadata."""
    return {
        "metadata": metadata(name, namespace="default", version=version, **more),
        "spec": {
            "containers": [container(requests={"cpu": cpu})],
            **({"nodeName": node} if node else {}),
            **(spec or {}),
        },
        "status": {"phase": phase, **(status or {})},
    }


def owned_by(gang, *, attempt=1, rank=0):
    """Metadata that makes a pod a member of a gang of that name."""
    owner = {"apiVersion": API_VERSION, "kind": GANG_KIND, "name": gang, "uid": f"uid-of-{gang}", "controller": True}
    labels = {GANG_LABEL: gang, ATTEMPT_LABEL: str(attempt), RANK_LABEL: str(rank)}
    return {"labels": labels, "ownerReferences": [owner]}


def role(name, *, size=1, most=None, load="Equal", cpu="1", **pod_spec):
    """Describe a role of a GangJob; ``pod_spec`` is merged over the usual one."""
    template = {"spec": {"containers": [container(requests={"cpu": cpu})], **pod_spec}}
    return {"name": name, "size": {"min": size, "max": most or size}, "load": load, "template": template}


def gang(
    name,
    *,
    size=2,
    most=None,
    cpu="1",
    roles=(),
    spec=None,
    pod_spec=None,
    status=None,
    version="1",
    generation=1,
    **more,
):
    """Describe a GangJob; ``spec`` and ``pod_spec`` are merged over what is usual, ``more`` is further metadata."""
    template = {"spec": {"containers": [container(requests={"cpu": cpu})], **(pod_spec or {})}}
    members = {"roles": list(roles)} if roles else {"size": {"min": size, "max": most or size}, "template": template}
    return {
        "apiVersion": API_VERSION,
        "kind": GANG_KIND,
        "metadata": metadata(name, namespace="default", version=version, generation=generation, **more),
        "spec": {**members, **(spec or {})},
        **({"status": status} if status else {}),
    }


def bid(node, *, version="1", **spec):
    """Describe a node's bid."""
    return {"metadata": metadata(node, version=version), "spec": spec}


def priority_class(name, value, *, is_default=False, policy=None):
    """Describe a priority class; ``policy`` is its preemptionPolicy."""
    return {
        "metadata": metadata(name),
        "value": value,
        **({"globalDefault": True} if is_default else {}),
        **({"preemptionPolicy": policy} if policy else {}),
    }


def budget(name="budget", *, allowed=0, selector=None, counted=1, generation=1):
    """Describe a PodDisruptionBudget that allows so many disruptions, ``counted`` for that generation."""
    return {
        "metadata": metadata(name, namespace="default", generation=generation),
        "spec": {"selector": {} if selector is None else selector},
        "status": {"disruptionsAllowed": allowed, "observedGeneration": counted},
    }


def at(seconds):
    """A time as manifests have it."""
    return rfc3339(seconds)
