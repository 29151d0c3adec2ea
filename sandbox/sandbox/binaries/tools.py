"""Which programs there are."""

from enum import StrEnum


class Tool(StrEnum):
    """A program. Its value is the name of the executable."""

    ETCD = "etcd"
    KUBE_APISERVER = "kube-apiserver"
    KUBE_CONTROLLER_MANAGER = "kube-controller-manager"
    KUBE_SCHEDULER = "kube-scheduler"
    KUBECTL = "kubectl"
    KUBELET = "kubelet"
    KUBEADM = "kubeadm"
    KUBE_PROXY = "kube-proxy"
    KIND = "kind"
    KWOK = "kwok"
    HELM = "helm"
    PROMETHEUS = "prometheus"
    PROMTOOL = "promtool"
    COREDNS = "coredns"
    LOCAL_PATH_PROVISIONER = "local-path-provisioner"
    JOBSET = "jobset-controller"
    MPI_OPERATOR = "mpi-operator"
    LEADER_WORKER_SET = "lws-controller"
    RAY_OPERATOR = "ray-operator"
    TRAINER = "trainer-controller-manager"
    TRAINING_OPERATOR = "training-operator"
    KUEUE = "kueue"


# These are of one release, as no kubelet may be newer than its API server. kubectl works with servers of the releases
# before and after its own.
OF_ONE_RELEASE = frozenset(
    {
        Tool.KUBE_APISERVER,
        Tool.KUBE_CONTROLLER_MANAGER,
        Tool.KUBE_SCHEDULER,
        Tool.KUBELET,
        Tool.KUBEADM,
        Tool.KUBE_PROXY,
    }
)
# No sandbox needs them: they are for nodes that are real.
FOR_REAL_NODES = frozenset(
    {Tool.KUBELET, Tool.KUBEADM, Tool.KUBE_PROXY, Tool.KIND, Tool.COREDNS, Tool.LOCAL_PATH_PROVISIONER}
)
