"""The kinds of objects that can be suspended. Their controllers then delete their pods, and count no failure."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from lockstep.api.client.answer import Target
from lockstep.api.client.instance import FIELD_MANAGER
from lockstep.api.client.paths import object_of
from lockstep.api.manifest import Manifest
from lockstep.api.names import SUSPENDED_BY, SUSPENDED_FOR_ANNOTATION, SUSPENDED_LABEL
from lockstep.api.podgang.sizing.size_mark import unmarked
from lockstep.api.suspending.field_managers import managers_of
from lockstep.facts.gang.source import Source


class SuspendableKind(NamedTuple):
    """A kind that can be suspended.

    ``policy`` is the field of the spec that has ``suspend``; it is '' if the spec itself has ``suspend``. If we have
    suspended an object, it has our mark: a label and an annotation, which are written together with the spec.
    """

    api_version: str
    kind: str
    plural: str
    policy: str = ""

    def everywhere(self) -> Target:
        """The place of all objects of the kind in the API."""
        return Target(f"/apis/{self.api_version}/{self.plural}", self.plural)

    def target(self, namespace: str, name: str) -> Target:
        """The place of one object in the API."""
        return object_of(self.api_version, self.plural, namespace, name)

    def is_suspended(self, owner: Manifest) -> bool:
        """Whether the object is suspended, by us or by another client."""
        holder: Manifest = owner
        for field in self._path:
            holder = holder.get(field) or {}
        return bool(holder.get("suspend"))

    def is_set_by_others(self, owner: Manifest) -> bool:
        """Whether another client has set ``suspend`` since we suspended the object, by the managers of this field."""
        return bool(managers_of(owner, *self._path, "suspend") - {FIELD_MANAGER})

    @property
    def _path(self) -> tuple[str, ...]:
        return ("spec", self.policy) if self.policy else ("spec",)

    def suspension(self, owner: Manifest, gang: str) -> dict[str, Any]:
        """The merge patch that suspends the object for the Gang of that name.

        It applies only to the version that was read.
        """
        mark = f"{owner['metadata']['uid']}/{gang}"
        return _marking(owner, SUSPENDED_BY, mark) | self._setting(suspend=True)

    def resumption(self, owner: Manifest, *, gets_size: bool = False) -> dict[str, Any]:
        """The merge patch that resumes the object and removes our mark. It applies only to the version that was read.

        An object that ``gets_size`` again stays suspended, and waits for its size.
        """
        patch = unmarking(owner)
        if not gets_size:
            return patch | self._setting(suspend=False)
        patch["metadata"]["annotations"] |= unmarked()
        return patch

    def _setting(self, *, suspend: bool) -> dict[str, Any]:
        spec = {"suspend": suspend}
        return {"spec": {self.policy: spec} if self.policy else spec}


def unmarking(owner: Manifest) -> dict[str, Any]:
    """The merge patch that removes our mark and does not change ``suspend``.

    It applies only to the version that was read.
    """
    return _marking(owner, None, None)


def _marking(owner: Manifest, label: str | None, annotation: str | None) -> dict[str, Any]:
    metadata = {
        "uid": owner["metadata"]["uid"],
        "resourceVersion": owner["metadata"]["resourceVersion"],
        "labels": {SUSPENDED_LABEL: label},
        "annotations": {SUSPENDED_FOR_ANNOTATION: annotation},
    }
    return {"metadata": metadata}


def suspended_for(owner: Manifest) -> str:
    """The name of the Gang for which we have suspended the object, by our mark; '' if the object has no mark of ours.

    A copy of the object has another UID, so a copied mark is not ours.
    """
    metadata = owner["metadata"]
    if (metadata.get("labels") or {}).get(SUSPENDED_LABEL) != SUSPENDED_BY:
        return ""
    uid, _, gang = (metadata.get("annotations") or {}).get(SUSPENDED_FOR_ANNOTATION, "").partition("/")
    return gang if uid == metadata["uid"] else ""


def suspendable(api_version: str, kind: str) -> SuspendableKind | None:
    """The kind of that name; None if its objects can't be suspended."""
    return _BY_NAME.get((api_version, kind))


def kinds_above(sources: Collection[Source]) -> list[SuspendableKind]:
    """The kinds of objects that may be the topmost owner of pods of these sources."""
    return list(dict.fromkeys(kind for source in Source if source in sources for kind in _ABOVE[source]))


def sources_below(kind: SuspendableKind, sources: Collection[Source]) -> list[Source]:
    """The sources in ``sources`` whose pods may have an object of that kind as their topmost owner."""
    return [source for source in Source if source in sources and kind in _ABOVE[source]]


_JOB = SuspendableKind("batch/v1", "Job", "jobs")
_JOB_SET = SuspendableKind("jobset.x-k8s.io/v1alpha2", "JobSet", "jobsets")
_MPI_JOB = SuspendableKind("kubeflow.org/v2beta1", "MPIJob", "mpijobs", "runPolicy")
_RAY_CLUSTER = SuspendableKind("ray.io/v1", "RayCluster", "rayclusters")
_TRAIN_JOB = SuspendableKind("trainer.kubeflow.org/v1alpha1", "TrainJob", "trainjobs")
# The kinds of Kubeflow's training operator.
_TRAINING = tuple(
    SuspendableKind("kubeflow.org/v1", kind, f"{kind.lower()}s", "runPolicy")
    for kind in ("PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob")
)
_ABOVE: Mapping[Source, tuple[SuspendableKind, ...]] = {
    Source.PODS: (),
    Source.JOB: (_JOB,),
    Source.JOB_SET: (_JOB_SET, _TRAIN_JOB),
    Source.LEADER_WORKER_SET: (),
    Source.MPI_JOB: (_MPI_JOB,),
    Source.POD_GROUP: (_MPI_JOB, _TRAIN_JOB, *_TRAINING),
    Source.RAY_CLUSTER: (_RAY_CLUSTER,),
    # Only the Job controller makes PodGroups of Kubernetes for its pods.
    Source.SCHEDULING_GROUP: (_JOB,),
    Source.SINGLE: (),
    Source.SIZED_JOB: (),
    Source.SIZED_RAY_CLUSTER: (),
    Source.KUEUE_GROUP: (),
    # Kueue itself suspends the owners of these pods.
    Source.WORKLOAD: (),
}
SUSPENDABLE_KINDS = kinds_above(frozenset(Source))
"""All kinds that can be suspended."""
_BY_NAME = {(one.api_version, one.kind): one for one in SUSPENDABLE_KINDS}
