"""Owners of pods as people have them, whose pods Lockstep places: a case names only what it is about."""

from builders.jobs import pod_spec


def template(*, cpu="1", labels=None, **pod):
    """Describe a template with the line."""
    container = {"name": "main", "image": "work:1", "resources": {"requests": {"cpu": cpu}}}
    return {
        "metadata": {"labels": labels or {}},
        "spec": pod_spec(schedulerName="lockstep", containers=[container], **pod),
    }


def owner(api_version, kind, *, name="heat", annotations=None, **spec):
    """Describe an object of any kind."""
    metadata = {"name": name, **({"annotations": annotations} if annotations else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def job_of(made=None, *, name="heat", annotations=None, **spec):
    """Describe a Job with that template."""
    return owner("batch/v1", "Job", name=name, annotations=annotations, **spec, template=made or template())


def pod_gang_manifest(least, *, name="heat", **spec):
    """Describe a Gang that a user writes."""
    return owner("lockstep.dev/v1alpha1", "Gang", name=name, size={"min": least}, **spec)


def bare_pod(name, **more):
    """Describe a pod that no controller makes."""
    made = template(**more)
    return {"apiVersion": "v1", "kind": "Pod", **made, "metadata": {**made["metadata"], "name": name}}


def leader_worker_set(**spec):
    """Describe a LeaderWorkerSet of groups with a leader and two workers."""
    group = {"size": 3, "leaderTemplate": template(), "workerTemplate": template(cpu="2")}
    return owner("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", **{"leaderWorkerTemplate": group, **spec})


def mpi_job(**spec):
    """Describe an MPIJob of a launcher and three workers."""
    replicas = {"Launcher": {"template": template()}, "Worker": {"replicas": 3, "template": template(cpu="2")}}
    return owner("kubeflow.org/v2beta1", "MPIJob", mpiReplicaSpecs=replicas, **spec)


def training_job(kind="PyTorchJob", field="pytorchReplicaSpecs", *, pod=None, annotations=None, **spec):
    """Describe a job of the training operator, of a master and three workers."""
    replicas = {"Master": {"template": template()}, "Worker": {"replicas": 3, "template": pod or template(cpu="2")}}
    return owner("kubeflow.org/v1", kind, annotations=annotations, **{field: replicas, **spec})


def ray_cluster(**spec):
    """Describe a RayCluster of a head and two workers."""
    workers = [{"groupName": "all", "replicas": 2, "template": template(cpu="2")}]
    spec = {"headGroupSpec": {"template": template()}, "workerGroupSpecs": workers, **spec}
    return owner("ray.io/v1", "RayCluster", **spec)


def scheduling_group(least, *, version="v1alpha2", name="heat", **spec):
    """Describe a PodGroup of Kubernetes' own."""
    policy = {"gang": {"minCount": least}}
    return owner(f"scheduling.k8s.io/{version}", "PodGroup", name=name, schedulingPolicy=policy, **spec)


def pod_group(least, *, name="heat"):
    """Describe a PodGroup of Coscheduling's."""
    return owner("scheduling.x-k8s.io/v1alpha1", "PodGroup", name=name, minMember=least)
