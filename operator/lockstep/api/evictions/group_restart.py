"""How a LeaderWorkerSet reacts to the eviction of the leader of a group."""

from lockstep.api.manifest import Manifest
from lockstep.api.podgang.section import Section
from lockstep.api.podgang.single_pods import controller_of
from lockstep.facts.pods.pod import PodKey

_REMAKES = "RecreateGroupOnPodRestart"
_ONLY_STARTED = "leaderworkerset.sigs.k8s.io/experimental-recreate-group-after-start"
_NAME, _GROUP, _WORKER = (f"leaderworkerset.sigs.k8s.io/{word}" for word in ("name", "group-index", "worker-index"))


def leader_of(namespace: str, group: str) -> PodKey:
    """The leader of a group. ``group`` is the set and the number of the group, such as ``heat.0``."""
    name, _, number = group.rpartition(".")
    return PodKey(namespace, f"{name}-{number}")


def is_leader(pod: Manifest, group: str) -> bool:
    """Whether a pod is the leader of that group: it has the labels, and the StatefulSet of the leaders has made it."""
    name, _, number = group.rpartition(".")
    labels, controller = pod["metadata"].get("labels") or {}, controller_of(pod["metadata"])
    is_made = (controller.get("kind"), controller.get("name")) == ("StatefulSet", name)
    return is_made and (labels.get(_NAME), labels.get(_GROUP), labels.get(_WORKER)) == (name, number, "0")


def why_not_remade(leader_worker_set: Manifest, *, has_waiting: bool) -> str:
    """A clause that says why the set would not create a group again after the eviction of a pod; '' if it would.

    ``has_waiting`` says whether a pod of the group has no node. Raises ``FieldError`` for a field of the wrong type.
    """
    policy = Section(leader_worker_set).section("spec").section("leaderWorkerTemplate").text("restartPolicy")
    if (policy or _REMAKES) != _REMAKES:
        return f"its restartPolicy is {policy}, so its group would not be created again"
    if has_waiting and _ONLY_STARTED in (leader_worker_set["metadata"].get("annotations") or {}):
        return f"it has the annotation {_ONLY_STARTED}, so its group is not created again while pods of the group wait"
    return ""
