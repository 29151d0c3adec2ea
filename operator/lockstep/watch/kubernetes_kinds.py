"""The watched kinds of Kubernetes itself: how their objects become facts, and which part of the cache they update."""

from lockstep.api.client import paths
from lockstep.api.cluster.budget import parse_budget, unreadable_budget
from lockstep.api.cluster.cluster import parse_namespace, parse_priority_class
from lockstep.api.cluster.node import parse_node
from lockstep.api.cluster.quota import parse_quota
from lockstep.api.cluster.storage import parse_capacity, parse_csi_driver, parse_storage_class
from lockstep.api.cluster.volume import parse_attachment, parse_claim, parse_csi_node, parse_volume
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.any_pod import parse_any_pod
from lockstep.api.unreadable.unreadable_objects import (
    unreadable_node,
    unreadable_pod,
)
from lockstep.belief.state import State
from lockstep.facts.cluster.cluster import NamespaceFact, PriorityClass
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.cluster.quota import QuotaFact, QuotaKey
from lockstep.facts.cluster.volume import (
    AttachLimits,
    Attachment,
    CapacityKey,
    ClaimFact,
    ClaimKey,
    CsiDriver,
    StorageCapacity,
    StorageClass,
    VolumeFact,
)
from lockstep.facts.pods.budget import BudgetFact, BudgetKey
from lockstep.facts.pods.pod import PodFact, PodKey
from lockstep.watch.kind import WatchedKind


def nodes_kind(state: State) -> WatchedKind[NodeFact]:
    """All nodes."""
    return WatchedKind(
        target=paths.ALL_NODES,
        key=name_of,
        parse=parse_node,
        apply=state.nodes.apply,
        remove=state.nodes.remove,
        parse_failures=state.parse_failures,
        unreadable=unreadable_node,
        counts_as="a node that is not ready",
    )


def pods_kind(state: State) -> WatchedKind[PodFact]:
    """All pods, since pods that are no members also take room on nodes."""
    return WatchedKind(
        target=paths.ALL_PODS,
        key=_pod_key,
        parse=lambda it: parse_any_pod(it, state.sources),
        apply=state.apply_pod,
        remove=lambda it: state.remove_pod(*it),
        parse_failures=state.parse_failures,
        unreadable=lambda it, problem: unreadable_pod(it, problem, state.sources),
        counts_as="a pod that fills its node, or has not ended",
        cached=lambda: ((key, pod.uid) for key, pod in state.pods.items()),
    )


def namespaces_kind(state: State) -> WatchedKind[NamespaceFact]:
    """All namespaces, since affinity and anti-affinity of pods may select namespaces by their labels."""
    return WatchedKind(
        target=paths.ALL_NAMESPACES,
        key=name_of,
        parse=parse_namespace,
        apply=state.namespaces.apply,
        remove=state.namespaces.remove,
        parse_failures=state.parse_failures,
    )


def priority_classes_kind(state: State) -> WatchedKind[PriorityClass]:
    """All priority classes."""
    return WatchedKind(
        target=paths.ALL_PRIORITY_CLASSES,
        key=name_of,
        parse=parse_priority_class,
        apply=state.priorities.apply,
        remove=state.priorities.remove,
        parse_failures=state.parse_failures,
    )


def claims_kind(state: State) -> WatchedKind[ClaimFact]:
    """All PersistentVolumeClaims."""
    return WatchedKind(
        target=paths.ALL_CLAIMS,
        key=lambda it: ClaimKey(it["metadata"]["namespace"], it["metadata"]["name"]),
        parse=parse_claim,
        apply=state.claims.apply_claim,
        remove=state.claims.remove_claim,
        parse_failures=state.parse_failures,
    )


def volumes_kind(state: State) -> WatchedKind[VolumeFact]:
    """All PersistentVolumes."""
    return WatchedKind(
        target=paths.ALL_VOLUMES,
        key=name_of,
        parse=parse_volume,
        apply=state.claims.apply_volume,
        remove=state.claims.remove_volume,
        parse_failures=state.parse_failures,
    )


def csi_nodes_kind(state: State) -> WatchedKind[AttachLimits]:
    """All CSINodes: how many volumes each node can attach."""
    return WatchedKind(
        target=paths.ALL_CSI_NODES,
        key=name_of,
        parse=parse_csi_node,
        apply=state.attachments.apply_limits,
        remove=state.attachments.remove_limits,
        parse_failures=state.parse_failures,
    )


def attachments_kind(state: State) -> WatchedKind[Attachment]:
    """All VolumeAttachments, including those of volumes that no pod uses any more."""
    return WatchedKind(
        target=paths.ALL_ATTACHMENTS,
        key=name_of,
        parse=parse_attachment,
        apply=state.attachments.apply_attachment,
        remove=state.attachments.remove_attachment,
        parse_failures=state.parse_failures,
    )


def storage_classes_kind(state: State) -> WatchedKind[StorageClass]:
    """All StorageClasses: when and on which nodes their volumes are made."""
    return WatchedKind(
        target=paths.ALL_STORAGE_CLASSES,
        key=name_of,
        parse=parse_storage_class,
        apply=state.claims.storage.classes.apply,
        remove=state.claims.storage.classes.remove,
        parse_failures=state.parse_failures,
    )


def csi_drivers_kind(state: State) -> WatchedKind[CsiDriver]:
    """All CSIDrivers: which of them publish their capacity."""
    return WatchedKind(
        target=paths.ALL_CSI_DRIVERS,
        key=name_of,
        parse=parse_csi_driver,
        apply=state.claims.storage.drivers.apply,
        remove=state.claims.storage.drivers.remove,
        parse_failures=state.parse_failures,
    )


def capacities_kind(state: State) -> WatchedKind[StorageCapacity]:
    """All CSIStorageCapacities."""
    return WatchedKind(
        target=paths.ALL_CAPACITIES,
        key=lambda it: CapacityKey(it["metadata"]["namespace"], it["metadata"]["name"]),
        parse=parse_capacity,
        apply=state.claims.storage.capacities.apply,
        remove=state.claims.storage.capacities.remove,
        parse_failures=state.parse_failures,
    )


def budgets_kind(state: State) -> WatchedKind[BudgetFact]:
    """All PodDisruptionBudgets, which evictions respect."""
    return WatchedKind(
        target=paths.ALL_BUDGETS,
        key=lambda it: BudgetKey(it["metadata"]["namespace"], it["metadata"]["name"]),
        parse=parse_budget,
        apply=state.budgets.apply,
        remove=state.budgets.remove,
        parse_failures=state.parse_failures,
        unreadable=unreadable_budget,
        counts_as="a budget that protects all pods of its namespace",
    )


def quotas_kind(state: State) -> WatchedKind[QuotaFact]:
    """All ResourceQuotas, which limit the members of gangs."""
    return WatchedKind(
        target=paths.ALL_QUOTAS,
        key=lambda it: QuotaKey(it["metadata"]["namespace"], it["metadata"]["name"]),
        parse=parse_quota,
        apply=state.quotas.apply,
        remove=state.quotas.remove,
        parse_failures=state.parse_failures,
    )


def name_of(manifest: Manifest) -> str:
    """The key of an object that is in no namespace: its name."""
    return str(manifest["metadata"]["name"])


def _pod_key(manifest: Manifest) -> tuple[PodKey, str]:
    """The identity of a pod: its key and its UID, since an earlier or later pod may have the same name."""
    metadata = manifest["metadata"]
    return PodKey(metadata["namespace"], metadata["name"]), metadata["uid"]


WATCHED = (
    nodes_kind,
    pods_kind,
    namespaces_kind,
    priority_classes_kind,
    claims_kind,
    volumes_kind,
    csi_nodes_kind,
    attachments_kind,
    storage_classes_kind,
    csi_drivers_kind,
    capacities_kind,
    budgets_kind,
    quotas_kind,
)
"""All watched kinds of Kubernetes itself."""
