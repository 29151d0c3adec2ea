"""The settings of a containerd and a kubelet, so that several share one machine and meet nowhere."""

from pathlib import Path
from typing import Any

from e2e.cluster_dns import DNS_ADDRESS, DOMAIN
from e2e.gangs import IMAGE
from sandbox import Node

# In the folder of a node: its images and snapshots.
IMAGES = "containerd"
FIRST_PORT = 10350
# A kubelet renews its lease four times as often; the controller manager declares it lost after twice the time.
LEASE_SECONDS = 8
LOST_AFTER_SECONDS = 2 * LEASE_SECONDS


def containerd_toml(folder: Path) -> str:
    """Return the configuration of a containerd that shares nothing with others."""
    return f"""\
version = 2
root = "{folder}/{IMAGES}"
state = "{folder}/state"
[grpc]
  address = "{folder}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{IMAGE}"
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
"""


def ptp(number: int, folder: Path) -> dict[str, Any]:
    """Return the network of a node's pods: each is linked with the machine alone, which knows the way to all.

    Which addresses are taken is kept in ``folder``: nothing of it outlasts the node.
    """
    routes = [{"dst": "0.0.0.0/0"}]
    addresses = {"type": "host-local", "subnet": pod_addresses(number), "routes": routes, "dataDir": str(folder)}
    plugin = {"type": "ptp", "ipam": addresses}
    return {"cniVersion": "0.4.0", "name": f"node{number}", "plugins": [plugin]}


def pod_addresses(number: int) -> str:
    """Return the addresses of the pods of a node."""
    return f"10.244.{number}.0/24"


def node_address(number: int) -> str:
    """Return the address of a node: of its kubelet, which the API server asks for logs."""
    return f"10.245.0.{number + 1}"


def kubelet_configuration(node: Node, number: int, folder: Path) -> dict[str, Any]:
    """Return the configuration of the kubelet of a node, which keeps all that it has on disk in ``folder``."""
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": node_address(number),
        "port": FIRST_PORT + number,
        "healthzPort": 0,
        "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
        "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": "/",
        "clusterDNS": [DNS_ADDRESS],
        "clusterDomain": DOMAIN,
        "containerRuntimeEndpoint": f"unix://{folder / 'containerd.sock'}",
        "enforceNodeAllocatable": [],
        # The machine's disk is not the nodes'.
        "evictionHard": {"imagefs.available": "0%", "nodefs.available": "0%", "memory.available": "0%"},
        "imageGCHighThresholdPercent": 100,
        "failCgroupV1": False,
        "failSwapOn": False,
        "fileCheckFrequency": "1s",
        "localStorageCapacityIsolation": False,
        "makeIPTablesUtilChains": False,
        "nodeLeaseDurationSeconds": LEASE_SECONDS,
        "podCIDR": pod_addresses(number),
        "podLogsDir": str(folder / "logs"),
        "registerWithTaints": [{"key": one.key, "value": one.value, "effect": str(one.effect)} for one in node.taints],
        "resolvConf": "",
        "staticPodPath": str(folder / "static"),
        "syncFrequency": "5s",
    }
