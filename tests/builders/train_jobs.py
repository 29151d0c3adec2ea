"""TrainJobs and their runtimes as people have them."""

from builders.owners import owner, template

TRAINER = "trainer.kubeflow.org/v1alpha1"
STEP = "trainer.kubeflow.org/trainjob-ancestor-step"


def train_job(*, runtime="torch", kind=None, **spec):
    """Describe a TrainJob of that runtime."""
    reference = {"name": runtime, **({"kind": kind} if kind else {})}
    return owner(TRAINER, "TrainJob", runtimeRef=reference, **spec)


def runtime_of(*jobs, name="torch", kind="ClusterTrainingRuntime", metadata=None, **spec):
    """Describe a runtime with those Jobs."""
    made = {"metadata": metadata or {}, "spec": {"replicatedJobs": list(jobs)}}
    return owner(TRAINER, kind, name=name, **{"mlPolicy": {"numNodes": 1, "torch": {}}, "template": made, **spec})


def runtime_job(name="node", *, step="trainer", depends_on=(), replicas=1, parallelism=None, cpu="1", **pod):
    """Describe a Job of a runtime, with a container of its name."""
    made = template(cpu=cpu, **pod)
    made["spec"]["containers"][0]["name"] = name
    spec = {"template": made, **({"parallelism": parallelism} if parallelism else {})}
    awaited = [{"name": one, "status": "Complete"} for one in depends_on]
    return {
        "name": name,
        "replicas": replicas,
        "dependsOn": awaited,
        "template": {"metadata": {"labels": {STEP: step} if step else {}}, "spec": spec},
    }


def runtime_patch(name="node", *, metadata=None, **pod):
    """Describe what a TrainJob changes in the pods of a Job of its runtime."""
    made = {"template": {"metadata": metadata or {}, "spec": pod}}
    patch = {"spec": {"replicatedJobs": [{"name": name, "template": {"spec": made}}]}}
    return {"manager": "example.com/user", "trainingRuntimeSpec": {"template": patch}}
