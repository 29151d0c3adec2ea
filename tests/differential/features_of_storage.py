"""Claims without a volume yet: of which class, where volumes of it can be made, and which are there already."""

from random import Random

from differential.cluster import SELECTED_NODE
from differential.draft import ZONE, Draft, Feature, Manifest
from differential.features_of_claims import DRIVERS, use

SIZES = ("1Gi", "2Gi", "4Gi")
NO_PROVISIONER = "kubernetes.io/no-provisioner"


def class_of(draft: Draft) -> Manifest:
    """The case's storage class, which is made when it is first needed."""
    name = f"{draft.case}-class"
    for one in draft.objects:
        if one["kind"] == "StorageClass":
            return one
    made = {
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": DRIVERS[0],
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    draft.objects.append(made)
    return made


def uses_unbound_claim(rnd: Random) -> Feature:
    """A claim of the template's that has no volume yet."""
    size, mode = rnd.choice(SIZES), rnd.choice(("ReadWriteOnce", "ReadWriteMany"))
    selected = rnd.choice(("", "", "", "here", "elsewhere"))
    storage_class = rnd.choice(("the case's", "the case's", "the case's", "the case's", "missing", "none"))
    prebound = rnd.random() < 0.1

    def apply(draft: Draft) -> None:
        kind = class_of(draft)["metadata"]["name"]
        name = f"{draft.case}-unbound-{sum(one['kind'] == 'PersistentVolumeClaim' for one in draft.objects)}"
        nodes = {"here": draft.case, "elsewhere": f"{draft.case}-near"}
        annotations = {SELECTED_NODE: nodes[selected]} if selected else {}
        spec: Manifest = {
            "accessModes": [mode],
            "storageClassName": {"missing": f"{kind}-missing", "none": ""}.get(storage_class, kind),
            "resources": {"requests": {"storage": size}},
        }
        if prebound:
            spec["volumeName"] = f"{draft.case}-nothing"
        metadata = {"name": name, "annotations": annotations}
        draft.objects.append({"kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec})
        use(draft.spec, name)

    what = f"{size} {mode} of class {storage_class}"
    return Feature(
        f"the template uses an unbound claim, {what}, selected node {selected or 'none'}, prebound {prebound}", apply
    )


def has_class(rnd: Random) -> Feature:
    """When volumes of the class are made, and by which provisioner."""
    mode = rnd.choice(("WaitForFirstConsumer", "WaitForFirstConsumer", "WaitForFirstConsumer", "Immediate"))
    provisioner = rnd.choice((*DRIVERS, NO_PROVISIONER))

    def apply(draft: Draft) -> None:
        class_of(draft).update({"volumeBindingMode": mode, "provisioner": provisioner})

    return Feature(f"the class is {mode}, by {provisioner}", apply)


def has_topologies(rnd: Random) -> Feature:
    """Where volumes of the class may be made."""
    terms = [
        [
            {"key": rnd.choice((ZONE, "disk")), "values": rnd.sample(["here", "east", "ssd"], rnd.randint(1, 2))}
            for _ in range(rnd.randint(0, 2))
        ]
        for _ in range(rnd.randint(1, 2))
    ]
    disk = rnd.choice((None, "ssd", "east"))

    def apply(draft: Draft) -> None:
        labels = draft.node["metadata"]["labels"]
        if disk is not None:
            labels["disk"] = disk
        zone = labels.get(ZONE, "none")
        topologies = [
            {"matchLabelExpressions": [{**one, "values": _named(one["values"], zone)} for one in term]}
            for term in terms
            if len({one["key"] for one in term}) == len(term)
        ]
        if topologies:
            class_of(draft)["allowedTopologies"] = topologies

    return Feature(f"the class allows {terms}, the node has disk {disk}", apply)


def _named(values: list[str], zone: str) -> list[str]:
    return [zone if value == "here" else value for value in values]


def publishes_capacity(rnd: Random) -> Feature:
    """What a driver says of the room that it has."""
    driver, says_so = rnd.choice(DRIVERS), rnd.random() < 0.8
    rooms = [
        (rnd.choice(("capacity", "maximumVolumeSize", "both", "none")), rnd.choice(SIZES), rnd.choice(SIZES))
        for _ in range(rnd.randint(0, 3))
    ]
    where = [rnd.choice(("here", "elsewhere", "anywhere", "nowhere")) for _ in rooms]

    def apply(draft: Draft) -> None:
        if all(one["kind"] != "CSIDriver" for one in draft.objects):
            name = f"{draft.case}.{driver}"
            class_of(draft)["provisioner"] = name
            spec = {"storageCapacity": says_so}
            draft.objects.append({"kind": "CSIDriver", "metadata": {"name": name}, "spec": spec})
        for (kind, capacity, largest), place in zip(rooms, where, strict=True):
            draft.objects.append(_room(draft, kind, (capacity, largest), place))

    return Feature(f"{driver} publishes capacity {says_so}: {rooms} {where}", apply)


def _room(draft: Draft, kind: str, sizes: tuple[str, str], place: str) -> Manifest:
    zone = draft.node["metadata"]["labels"].get(ZONE, "none")
    selectors: dict[str, Manifest] = {
        "here": {"matchLabels": {ZONE: zone}},
        "elsewhere": {"matchExpressions": [{"key": ZONE, "operator": "NotIn", "values": [zone]}]},
        "anywhere": {},
    }
    fields = {"capacity": ("capacity", "both"), "maximumVolumeSize": ("maximumVolumeSize", "both")}
    said = {name: size for (name, kinds), size in zip(fields.items(), sizes, strict=True) if kind in kinds}
    number = sum(one["kind"] == "CSIStorageCapacity" for one in draft.objects)
    return {
        "kind": "CSIStorageCapacity",
        "metadata": {"name": f"{draft.case}-room-{number}"},
        "storageClassName": class_of(draft)["metadata"]["name"],
        **({"nodeTopology": selectors[place]} if place in selectors else {}),
        **said,
    }


def has_free_volume(rnd: Random) -> Feature:
    """A volume of the class that is there, and free or not."""
    size, modes = rnd.choice(SIZES), rnd.sample(("ReadWriteOnce", "ReadWriteMany"), rnd.randint(1, 2))
    phase = rnd.choice(("Available", "Available", "Available", "Pending", "Released"))
    zone, of_class = rnd.choice((None, "here", "here", "elsewhere")), rnd.random() < 0.8
    promised, block = rnd.choice((False, False, False, True)), rnd.random() < 0.1

    def apply(draft: Draft) -> None:
        kind = class_of(draft)["metadata"]["name"]
        name = f"{draft.case}-free-{sum(one['kind'] == 'PersistentVolume' for one in draft.objects)}"
        spec: Manifest = {
            "capacity": {"storage": size},
            "accessModes": modes,
            "storageClassName": kind if of_class else "other",
            "local": {"path": "/data"},
            "nodeAffinity": _affinity(draft, zone),
            **({"volumeMode": "Block"} if block else {}),
        }
        if promised:
            spec["claimRef"] = {"namespace": "probes", "name": f"{draft.case}-unbound-{int(block)}"}
        draft.objects.append(
            {"kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec, "status": {"phase": phase}}
        )

    what = f"{size} {modes} {phase}, reached from {zone}, of the class {of_class}"
    return Feature(f"a volume of {what}, promised {promised}, block {block}", apply)


def _affinity(draft: Draft, zone: str | None) -> Manifest:
    label = draft.node["metadata"]["labels"].get(ZONE, "none")
    operator = {None: "Exists", "here": "In", "elsewhere": "NotIn"}[zone]
    expression = {"key": ZONE, "operator": operator, **({} if zone is None else {"values": [label]})}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


STORAGE = (uses_unbound_claim, uses_unbound_claim, has_class, has_topologies, publishes_capacity, has_free_volume)
