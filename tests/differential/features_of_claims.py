"""Claims for volumes: bound or not, where their volumes can be reached, who else uses them."""

from random import Random

from differential.cluster import PROBES
from differential.draft import ZONE, Draft, Feature, Manifest

BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
DRIVERS = ("one.example.com", "other.example.com")
MODES = ("ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod", "ReadWriteOncePod")
TROUBLES = ("", "", "", "", "deleting", "unbound", "lost", "without its volume", "missing")


def add_claim(draft: Draft, mode: str, *, trouble: str = "", **volume: Manifest) -> str:
    """Make a claim and the volume to which it is bound; ``volume`` has its labels and goes over its spec."""
    number = sum(one["kind"] == "PersistentVolumeClaim" for one in draft.objects)
    name = f"{draft.case}-claim-{number}"
    shared = {"accessModes": [mode], "storageClassName": ""}
    spec = {"capacity": {"storage": "1Gi"}, "hostPath": {"path": "/data"}, **shared, **volume.get("spec", {})}
    if "csi" in spec:
        del spec["hostPath"]
    labels = volume.get("labels", {})
    if trouble not in ("without its volume", "missing"):
        draft.objects.append({"kind": "PersistentVolume", "metadata": {"name": name, "labels": labels}, "spec": spec})
    annotations = {} if trouble == "unbound" else {"pv.kubernetes.io/bind-completed": "yes"}
    claim = {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "annotations": annotations},
        "spec": {**shared, "volumeName": name, "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": {"unbound": "Pending", "lost": "Lost"}.get(trouble, "Bound")},
    }
    if trouble != "missing":
        draft.objects.append(claim)
    if trouble == "deleting":
        draft.deleting.add(name)
    return name


def use(spec: Manifest, claim: str) -> None:
    """Let a pod use a claim."""
    volumes = spec.setdefault("volumes", [])
    volumes.append({"name": f"volume-{len(volumes)}", "persistentVolumeClaim": {"claimName": claim}})


def uses_claim(rnd: Random) -> Feature:
    """A claim of the template's, which others may use too."""
    mode, trouble, others = rnd.choice(MODES), rnd.choice(TROUBLES), rnd.choice(("", "", "near", "here", "ended"))

    def apply(draft: Draft) -> None:
        claim = add_claim(draft, mode, trouble=trouble)
        use(draft.spec, claim)
        if others:
            pod = draft.add_pod(near=others == "near", namespace=PROBES)
            use(pod["spec"], claim)
            if others == "ended":
                draft.statuses[pod["metadata"]["name"]] = {"phase": "Succeeded"}

    return Feature(f"the template uses a claim, {mode} {trouble}, and so does {others or 'no other pod'}", apply)


def has_a_place(rnd: Random) -> Feature:
    """A claim of the template's whose volume can be reached from some nodes, and labels of the node that say so."""
    key = rnd.choice((ZONE, BETA_ZONE, REGION))
    of_volume, of_node = rnd.choice(("east", "east__west", "north", "east____west")), rnd.choice((None, "east", "west"))
    node_key, has_zone = rnd.choice((key, ZONE)), rnd.random() < 0.5
    expression = {"key": rnd.choice((ZONE, "disk")), "operator": rnd.choice(("In", "NotIn")), "values": ["east", "ssd"]}
    affinity = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    has_affinity, has_labels = rnd.random() < 0.4, rnd.random() < 0.8

    def apply(draft: Draft) -> None:
        labels = draft.node["metadata"]["labels"]
        if not has_zone:
            labels.pop(ZONE, None)
        if of_node is not None:
            labels[node_key] = of_node
        spec = {"nodeAffinity": affinity} if has_affinity else {}
        use(
            draft.spec,
            add_claim(draft, "ReadWriteMany", labels={key: of_volume} if has_labels else {}, spec=spec),
        )

    where = f"{key}={of_volume}" if has_labels else "no label"
    by_affinity = expression if has_affinity else "no affinity"
    return Feature(f"a volume with {where} and {by_affinity}, the node {node_key}={of_node}, {has_zone}", apply)


def uses_drivers_volume(rnd: Random) -> Feature:
    """Volumes of CSI drivers, used by the template and by another's pod, some of them by both."""
    driver = rnd.choice(DRIVERS)
    users = rnd.choice((("template",), ("template",), ("other",), ("template", "other"), ("template", "near")))

    def apply(draft: Draft) -> None:
        csi = {"driver": driver, "volumeHandle": f"{draft.case}-{len(draft.objects)}"}
        claim = add_claim(draft, "ReadWriteMany", spec={"csi": csi})
        for user in users:
            pod = draft.template if user == "template" else draft.add_pod(near=user == "near", namespace=PROBES)
            use(pod["spec"], claim)

    return Feature(f"a volume of {driver} is used by {users}", apply)


def has_limit(rnd: Random) -> Feature:
    """How many volumes of a driver the node can attach, and what is attached already without being used."""
    limits = {driver: rnd.choice((None, 0, 1, 2)) for driver in rnd.sample(DRIVERS, rnd.randint(1, 2))}
    attached = rnd.choice((None, None, *DRIVERS))

    def apply(draft: Draft) -> None:
        drivers = [
            {"name": name, "nodeID": draft.case, **({} if count is None else {"allocatable": {"count": count}})}
            for name, count in limits.items()
        ]
        csi_node = {"kind": "CSINode", "metadata": {"name": draft.case}, "spec": {"drivers": drivers}}
        if all(one["kind"] != "CSINode" for one in draft.objects):
            draft.objects.append(csi_node)
        if attached is not None:
            _attach(draft, attached)

    return Feature(f"the node attaches {limits}, and {attached} has attached one", apply)


def _attach(draft: Draft, driver: str) -> None:
    """Attach the first volume of the driver that there is, or one more."""
    volumes = (one for one in draft.objects if one["kind"] == "PersistentVolume")
    of_driver = [one["metadata"]["name"] for one in volumes if one["spec"].get("csi", {}).get("driver") == driver]
    csi = {"driver": driver, "volumeHandle": f"{draft.case}-attached"}
    name = of_driver[0] if of_driver else add_claim(draft, "ReadWriteMany", spec={"csi": csi})
    spec = {"attacher": driver, "nodeName": draft.case, "source": {"persistentVolumeName": name}}
    attachments = sum(one["kind"] == "VolumeAttachment" for one in draft.objects)
    metadata = {"name": f"{draft.case}-attachment-{attachments}"}
    draft.objects.append({"kind": "VolumeAttachment", "metadata": metadata, "spec": spec})


CLAIMS = (uses_claim, has_a_place)
LIMITS = (uses_drivers_volume, uses_drivers_volume, has_limit)
