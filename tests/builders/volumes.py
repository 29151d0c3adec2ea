"""Claims for volumes, as templates and gangs write them."""


def claim_spec(storage_class, *, mode="ReadWriteOnce", size="1Gi"):
    """Describe what a claim asks for."""
    return {
        "accessModes": [mode],
        "storageClassName": storage_class,
        "resources": {"requests": {"storage": size}},
    }


def claim_templates(storage_class, *names):
    """Describe claims that every member has of its own; by default one called ``data``."""
    return [{"metadata": {"name": name}, "spec": claim_spec(storage_class)} for name in names or ("data",)]


def ephemeral(storage_class, name="scratch"):
    """Describe the part of a pod with a volume that goes with it."""
    template = {"spec": claim_spec(storage_class)}
    return {"volumes": [{"name": name, "ephemeral": {"volumeClaimTemplate": template}}]}


def claiming(name="data"):
    """Describe the part of a pod with a claim that is there."""
    return {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]}
