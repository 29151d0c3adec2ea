"""What other pods mean for a template besides resources: their anti-affinity, and what only one pod may have."""

from collections.abc import Sequence
from copy import deepcopy
from random import Random

from differential.cluster import NAMESPACES, PROBES
from differential.draft import HOSTNAME, REQUIRED, ZONE, Draft, Feature, Manifest
from differential.features_of_pods import WHOSE, spec_to_change

SELECTORS: tuple[Manifest | None, ...] = (
    {"matchLabels": {"app": "probe"}},
    {"matchLabels": {"app": "probe"}},
    {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "probe"]}]},
    {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["probe"]}]},
    {"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]},
    {"matchExpressions": [{"key": "tier", "operator": "Exists"}]},
    {"matchExpressions": [{"key": "lockstep.dev/gang", "operator": "Exists"}]},
    {},
    None,
)
NAMESPACE_SELECTORS: tuple[Manifest, ...] = (
    {},
    {"matchLabels": {"team": "p"}},
    {"matchLabels": {"team": "x"}},
    {"matchLabels": {"kubernetes.io/metadata.name": PROBES}},
)
# In a pod's own terms kube-scheduler takes what namespaces without any label match for all namespaces.
OF_OTHERS_ONLY = {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}


def anti_affinity(rnd: Random) -> Feature:
    """Another's pod, on the node or near it, that keeps others away."""
    term = _term(rnd, (*NAMESPACE_SELECTORS, OF_OTHERS_ONLY))
    near, namespace = rnd.random() < 0.4, rnd.choice(sorted(NAMESPACES))
    kind = rnd.choice((REQUIRED, REQUIRED, "ended"))

    def apply(draft: Draft) -> None:
        affinity = {"podAntiAffinity": {REQUIRED: [term]}}
        pod = draft.add_pod(near=near, namespace=namespace, affinity=affinity)
        pod["metadata"]["labels"]["tier"] = "front"
        if kind == "ended":
            draft.statuses[pod["metadata"]["name"]] = {"phase": "Succeeded"}

    where = "near the node" if near else "on the node"
    return Feature(f"a pod in {namespace} {where}, {kind}, keeps away {term}", apply)


def requires(rnd: Random) -> Feature:
    """Required affinity or anti-affinity of the template, towards pods of others and to its own kind."""
    kind, term = rnd.choice(("podAffinity", "podAntiAffinity")), _term(rnd, NAMESPACE_SELECTORS)

    def apply(draft: Draft) -> None:
        affinity = draft.spec.setdefault("affinity", {}).setdefault(kind, {})
        affinity.setdefault(REQUIRED, []).append(_of_this_case(term, draft))

    return Feature(f"the template has {kind} {term}", apply)


def stands_there(rnd: Random) -> Feature:
    """Another's pod with labels for which a template may ask, on the node, near it or ended, or about to end."""
    near, namespace, tier = rnd.random() < 0.5, rnd.choice(sorted(NAMESPACES)), rnd.choice(("front", "back"))
    kind = rnd.choice(("there", "there", "ended", "being deleted"))
    app = rnd.choice(("probe", "other"))

    def apply(draft: Draft) -> None:
        pod = draft.add_pod(near=near, namespace=namespace)
        pod["metadata"]["labels"] |= {"app": app, "tier": tier}
        if kind == "ended":
            draft.statuses[pod["metadata"]["name"]] = {"phase": "Failed"}
        if kind == "being deleted":
            draft.deleting.add(pod["metadata"]["name"])

    where = "near the node" if near else "on the node"
    return Feature(f"a pod {app}, {tier} in {namespace} {where}: {kind}", apply)


def _term(rnd: Random, namespace_selectors: Sequence[Manifest]) -> Manifest:
    """A term of affinity or anti-affinity."""
    term: Manifest = {"topologyKey": rnd.choice((HOSTNAME, HOSTNAME, ZONE, "rack"))}
    selector = rnd.choice(SELECTORS)
    if selector is not None:
        term["labelSelector"] = selector
    if rnd.random() < 0.4:
        term["namespaces"] = rnd.sample(sorted(NAMESPACES), rnd.randint(1, 2))
    if rnd.random() < 0.4:
        term["namespaceSelector"] = rnd.choice(namespace_selectors)
    if selector is not None and rnd.random() < 0.3:
        term[rnd.choice(("matchLabelKeys", "mismatchLabelKeys"))] = ["tier"]
    return term


def _of_this_case(term: Manifest, draft: Draft) -> Manifest:
    """The same for pods of the case alone: those of others, bound at the same time, must not count for it."""
    term = deepcopy(term)
    if "labelSelector" in term:
        here = {"key": "case", "operator": "In", "values": [draft.case]}
        term["labelSelector"].setdefault("matchExpressions", []).append(here)
    return term


def of_a_tier(rnd: Random) -> Feature:
    """A label of the template that others' selectors ask for."""
    tier = rnd.choice(("front", "back"))

    def apply(draft: Draft) -> None:
        draft.template["metadata"]["labels"]["tier"] = tier

    return Feature(f"the template's label tier is {tier}", apply)


def has_disk(rnd: Random) -> Feature:
    """A disk named in a pod, of which a node may have one user, or only readers."""
    kind = rnd.choice(("gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd"))
    disks = {whose: _disk(rnd, kind) for whose in rnd.choice(WHOSE)}

    def apply(draft: Draft) -> None:
        for whose, disk in disks.items():
            volumes = spec_to_change(draft, is_other=whose == "other").setdefault("volumes", [])
            volumes.append({"name": f"disk-{len(volumes)}", **disk})

    return Feature(f"disks: {disks}", apply)


def _disk(rnd: Random, kind: str) -> Manifest:
    reads = {"readOnly": True} if rnd.random() < 0.6 else {}
    match kind:
        case "gcePersistentDisk":
            return {"gcePersistentDisk": {"pdName": "one", **reads}}
        case "awsElasticBlockStore":
            return {"awsElasticBlockStore": {"volumeID": "one", **reads}}
        case "iscsi":
            target = {"targetPortal": "10.0.0.9", "lun": rnd.choice((0, 1)), "iqn": "iqn.2001-04.com.example:one"}
            return {"iscsi": {**target, **reads}}
    monitors = rnd.choice((["m1", "m2"], ["m2", "m3"], ["m3"]))
    pool = rnd.choice(({}, {"pool": "rbd"}, {"pool": "other"}))
    return {"rbd": {"monitors": monitors, "image": "one", **pool, **reads}}


ANTI_AFFINITY = (anti_affinity, anti_affinity, of_a_tier)
AFFINITY = (requires, requires, stands_there, stands_there, of_a_tier)
DISKS = (has_disk,)
