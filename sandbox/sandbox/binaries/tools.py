"""The names of the programs that sandboxes and tests use."""

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


# These programs must have one release, because no kubelet may be newer than its API server. kubectl works with servers
# of the previous and the next release.
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
# No sandbox needs these programs. They run on real nodes.
FOR_REAL_NODES = frozenset(
    {Tool.KUBELET, Tool.KUBEADM, Tool.KUBE_PROXY, Tool.KIND, Tool.COREDNS, Tool.LOCAL_PATH_PROVISIONER}
)
