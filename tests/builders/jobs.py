"""Jobs and JobSets as people have them: a case names only what it is about."""


def pod_spec(**more):
    """Describe a pod of a Job."""
    return {"restartPolicy": "Never", "containers": [{"name": "main", "image": "work:1"}], **more}


def job_fields(*, template=None, pod=None, **spec):
    """Describe the spec of a Job."""
    return {**spec, "template": {**(template or {}), "spec": pod or pod_spec()}}


def job(name="pi", *, metadata=None, **spec):
    """Describe a Job."""
    about = {"name": name, **(metadata or {})}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": about, "spec": job_fields(**spec)}


def replicated(name, *, replicas=None, depends_on=None, **spec):
    """Describe a job of a JobSet."""
    more = {"replicas": replicas, "dependsOn": depends_on}
    return {
        "name": name,
        **{key: value for key, value in more.items() if value},
        "template": {"spec": job_fields(**spec)},
    }


def jobset(*jobs, name="train", **spec):
    """Describe a JobSet."""
    spec = {**spec, "replicatedJobs": list(jobs)}
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": name}, "spec": spec}
