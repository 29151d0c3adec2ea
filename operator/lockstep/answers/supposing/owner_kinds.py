"""The kinds of objects that ``lockstep plan`` accepts, and the pods that owners of these kinds create first."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.names import API_VERSION, BID_KIND, FAIR_SHARE_KIND, GANG_KIND, POD_GANG_KIND, SWEEP_KIND
from lockstep.api.podgang.first_pods import FirstPods, of_single_pod
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.section import Section
from lockstep.facts.gang.source import Source


class ObjectKind(NamedTuple):
    """A kind of objects in the API, with its version."""

    api_version: str
    kind: str


def kind_of(manifest: Manifest) -> ObjectKind:
    """The kind and version that an object states."""
    return ObjectKind(manifest.get("apiVersion", ""), manifest.get("kind", ""))


def _of_replicas(owner: Section) -> Sequence[FirstPods]:
    spec = owner.section("spec")
    return [FirstPods(spec.number("replicas", otherwise=1), spec.section("template"))]


def _of_stateful_set(stateful_set: Section) -> Sequence[FirstPods]:
    """All pods of the set, or only the first if each pod waits for the one before it."""
    [pods] = _of_replicas(stateful_set)
    is_parallel = stateful_set.section("spec").text("podManagementPolicy") == "Parallel"
    return [pods if is_parallel else pods._replace(number=min(pods.number, 1))]


def _of_training_job(field: str) -> Callable[[Section], Sequence[FirstPods]]:
    """Make a function that returns the pods of a training job. The job makes the pods of all replica types at once."""

    def first(job: Section) -> Sequence[FirstPods]:
        replicas = job.section("spec").section(field)
        types = [replicas.section(name) for name in replicas.fields]
        return [FirstPods(one.number("replicas", otherwise=1), one.section("template")) for one in types]

    return first


CONFIG_MAP = ObjectKind("v1", "ConfigMap")
"""The kind of the object with the parameters of a sweep's runs."""
GANG_SWEEP = ObjectKind(API_VERSION, SWEEP_KIND)
GANG_JOB = ObjectKind(API_VERSION, GANG_KIND)
POD_GANG = ObjectKind(API_VERSION, POD_GANG_KIND)
TRAIN_JOB = ObjectKind("trainer.kubeflow.org/v1alpha1", "TrainJob")
RUNTIME = TRAIN_JOB._replace(kind="TrainingRuntime")
CLUSTER_RUNTIME = TRAIN_JOB._replace(kind="ClusterTrainingRuntime")
RUNTIMES = (RUNTIME, CLUSTER_RUNTIME)
"""The kinds of runtimes, which TrainJobs name. A runtime has no pods itself."""

TRAINING_JOBS: Mapping[ObjectKind, str] = {
    ObjectKind("kubeflow.org/v1", "PyTorchJob"): "pytorchReplicaSpecs",
    ObjectKind("kubeflow.org/v1", "TFJob"): "tfReplicaSpecs",
    ObjectKind("kubeflow.org/v1", "XGBoostJob"): "xgbReplicaSpecs",
    ObjectKind("kubeflow.org/v1", "PaddleJob"): "paddleReplicaSpecs",
    ObjectKind("kubeflow.org/v1", "JAXJob"): "jaxReplicaSpecs",
}
"""The jobs of Kubeflow's training operator, and the field of their spec with their replica types."""

SOURCES: Mapping[ObjectKind, Source] = {
    ObjectKind(version, one.kind): source
    for source, one in OWNERS.items()
    if not source.is_of_pods and source is not Source.WORKLOAD
    for version in one.versions
}
"""The kinds of owners for which the operator makes Gangs of several pods."""

WITHOUT_SOURCE: Mapping[ObjectKind, Callable[[Section], Sequence[FirstPods]]] = {
    ObjectKind("v1", "Pod"): of_single_pod,
    ObjectKind("apps/v1", "StatefulSet"): _of_stateful_set,
    ObjectKind("apps/v1", "Deployment"): _of_replicas,
    ObjectKind("apps/v1", "ReplicaSet"): _of_replicas,
    ObjectKind("v1", "ReplicationController"): _of_replicas,
    **{kind: _of_training_job(field) for kind, field in TRAINING_JOBS.items()},
}
"""Pods, and the kinds of owners whose pods name a Gang or a PodGroup, or are gangs of one pod each."""

TAKEN: Sequence[ObjectKind] = (GANG_JOB, POD_GANG, GANG_SWEEP, *SOURCES, *WITHOUT_SOURCE, TRAIN_JOB, *RUNTIMES)
"""All kinds of objects that can be planned."""

WITHOUT_PODS: Sequence[ObjectKind] = (
    CONFIG_MAP,
    *(ObjectKind("v1", kind) for kind in ("Service", "Secret", "ServiceAccount", "Namespace")),
    *(ObjectKind("v1", kind) for kind in ("PersistentVolumeClaim", "PersistentVolume", "LimitRange", "ResourceQuota")),
    *(ObjectKind("rbac.authorization.k8s.io/v1", kind) for kind in ("Role", "RoleBinding")),
    *(ObjectKind("rbac.authorization.k8s.io/v1", kind) for kind in ("ClusterRole", "ClusterRoleBinding")),
    *(ObjectKind("networking.k8s.io/v1", kind) for kind in ("NetworkPolicy", "Ingress")),
    ObjectKind("policy/v1", "PodDisruptionBudget"),
    ObjectKind("scheduling.k8s.io/v1", "PriorityClass"),
    ObjectKind("storage.k8s.io/v1", "StorageClass"),
    ObjectKind(API_VERSION, BID_KIND),
    ObjectKind(API_VERSION, FAIR_SHARE_KIND),
)
"""Kinds of objects that have no pods. A plan leaves these objects out, except for the ConfigMaps that sweeps name."""

REFUSED: Mapping[ObjectKind, str] = {
    ObjectKind("apps/v1", "DaemonSet"): (
        "its controller creates a pod for each node, and names that node in the pod, so Lockstep has nothing to plan"
    ),
    **{
        ObjectKind(version, OWNERS[Source.WORKLOAD].kind): "Kueue creates it for an owner of pods, so plan that owner"
        for version in OWNERS[Source.WORKLOAD].versions
    },
}
"""Kinds of owners that can't be planned although Lockstep places their pods. Each has a reason."""
