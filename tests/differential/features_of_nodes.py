"""What a node may have that decides who comes."""

from random import Random

from differential.draft import Draft, Feature

EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")
AMOUNTS = (
    ("cpu", ("500m", "900m", "1", "1500m", "2")),
    ("memory", ("256Mi", "1Gi", "1500M")),
    ("ephemeral-storage", ("0", "512Mi", "2Gi")),
    ("pods", ("0", "1", "2", "3")),
    ("example.com/gpu", ("0", "1", "2")),
    ("lockstep.dev/slots", ("1", "2")),
    ("hugepages-2Mi", ("2Mi", "8Mi")),
)


def taint(rnd: Random) -> Feature:
    """A taint that a template may tolerate, or not."""
    one = {"key": rnd.choice("ab"), "value": rnd.choice(("", "x", "5")), "effect": rnd.choice(EFFECTS)}

    def apply(draft: Draft) -> None:
        taints = draft.node["spec"]["taints"]
        # The API server refuses a node with one key and effect twice.
        if all((one["key"], one["effect"]) != (other["key"], other["effect"]) for other in taints):
            taints.append(one)

    return Feature(f"node is tainted {one}", apply)


def cordoned(_: Random) -> Feature:
    """A node that is kept for those who tolerate that."""

    def apply(draft: Draft) -> None:
        draft.node["spec"]["unschedulable"] = True

    return Feature("node is cordoned", apply)


def not_ready(rnd: Random) -> Feature:
    """A node that is not ready, with the taints that the node controller gives it."""
    status, key = rnd.choice((("False", "not-ready"), ("Unknown", "unreachable")))

    def apply(draft: Draft) -> None:
        draft.node["status"]["conditions"][0]["status"] = status
        keys = {taint["key"] for taint in draft.node["spec"]["taints"]}
        if f"node.kubernetes.io/{key}" not in keys:
            draft.node["spec"]["taints"] += [
                {"key": f"node.kubernetes.io/{key}", "effect": effect} for effect in ("NoSchedule", "NoExecute")
            ]
        # Admission adds tolerations of these taints' NoExecute to every pod.
        draft.is_completed_by_admission = True

    return Feature(f"node's condition Ready is {status}", apply)


def labelled(rnd: Random) -> Feature:
    """A label that a template may select."""
    key, value = rnd.choice((("disk", "ssd"), ("disk", "hdd"), ("generation", "3"), ("generation", "07"), ("rack", "")))

    def apply(draft: Draft) -> None:
        draft.node["metadata"]["labels"][key] = value

    return Feature(f"node's label {key} is {value!r}", apply)


def sized(rnd: Random) -> Feature:
    """A node with little of something."""
    name, amounts = rnd.choice(AMOUNTS)
    amount = rnd.choice(amounts)

    def apply(draft: Draft) -> None:
        for kind in ("allocatable", "capacity"):
            draft.node["status"][kind][name] = amount

    return Feature(f"node has {name} {amount}", apply)


def declares(rnd: Random) -> Feature:
    """A feature that a kubelet declares, and a template that needs it."""
    declared, needed = rnd.random() < 0.5, rnd.random() < 0.7
    rule = {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [42]}}

    def apply(draft: Draft) -> None:
        if declared:
            draft.node["status"]["declaredFeatures"] = ["RestartAllContainersOnContainerExits"]
        if needed:
            draft.spec["restartPolicy"] = "Never"
            draft.main.update(restartPolicy="Never", restartPolicyRules=[rule])

    return Feature(f"restarting all containers is declared: {declared}, needed: {needed}", apply)


TAINTS = (taint, cordoned, not_ready)
LABELS = (labelled, labelled, declares)
AMOUNTS_OF_NODES = (sized,)
