"""Real nodes on one machine: for each a kubelet and a containerd of its own, beside a sandbox's control plane.

It needs root, Debian's packages containerd, runc, containernetworking-plugins and busybox-static, and namespaces of its
own for the network, mounts and processes: `make e2e-kubelets` makes these, and with their end everything ends.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml
from image.make.archive import write_archive

from e2e.gangs import IMAGE
from eventually import eventually
from sandbox import Node, Sandbox
from sandbox.binaries import Resolver, Tool
from sandbox.ports import LOOPBACK
from sandbox.progress import Silent

CGROUPS = Path("/sys/fs/cgroup")
# Makes the folder in every controller of cgroup v1; make removes it.
CGROUP = "lockstep-e2e"
SLEEP = "trap 'exit 0' TERM; /bin/busybox sleep 86400 & wait"
FIRST_PORT = 10350


class KubeletNode:
    """One node: its folder has all that the two processes have on disk."""

    def __init__(self, node: Node, number: int, folder: Path, sandbox: Sandbox) -> None:
        self.node = node
        self._number = number
        self._folder = folder / node.name
        self._sandbox = sandbox
        self._folder.mkdir(parents=True)

    def start_containerd(self) -> "subprocess.Popen[bytes]":
        """Start the one that knows of this node's containers only, and return once it answers."""
        self._write("containerd.toml", containerd_toml(self._folder))
        self._write("cni/10-ptp.conflist", json.dumps(ptp(self._number)))
        process = self._run("containerd", "--config", str(self._folder / "containerd.toml"))
        eventually((self._folder / "containerd.sock").exists)
        eventually(lambda: self._ctr("version").returncode == 0)
        return process

    def import_image(self, archive: Path) -> None:
        """Have an image at hand."""
        done = self._ctr("images", "import", "--snapshotter=native", str(archive))
        assert done.returncode == 0, done.stderr.decode()

    def start_kubelet(self, program: str) -> "subprocess.Popen[bytes]":
        """Start it; it makes its Node by itself."""
        self._write("kubelet.yaml", yaml.safe_dump(self._kubelet_configuration()))
        self._make_cgroups()
        return self._run(
            program,
            f"--config={self._folder / 'kubelet.yaml'}",
            f"--kubeconfig={self._sandbox.kubeconfig}",
            f"--hostname-override={self.node.name}",
            f"--root-dir={self._folder / 'kubelet'}",
            f"--cert-dir={self._folder / 'pki'}",
            f"--node-ip={LOOPBACK}",
            f"--node-labels={','.join(f'{key}={value}' for key, value in self.node.labels.items())}",
        )

    def _kubelet_configuration(self) -> dict[str, Any]:
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "address": LOOPBACK,
            "port": FIRST_PORT + self._number,
            "healthzPort": 0,
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"},
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": f"/{CGROUP}/{self.node.name}",
            "containerRuntimeEndpoint": f"unix://{self._folder / 'containerd.sock'}",
            "enforceNodeAllocatable": [],
            # The machine's disk is not the nodes'.
            "evictionHard": {"imagefs.available": "0%", "nodefs.available": "0%", "memory.available": "0%"},
            "imageGCHighThresholdPercent": 100,
            "failCgroupV1": False,
            "failSwapOn": False,
            "localStorageCapacityIsolation": False,
            "makeIPTablesUtilChains": False,
            "podCIDR": pod_addresses(self._number),
            "podLogsDir": str(self._folder / "logs"),
            "registerWithTaints": [
                {"key": one.key, "value": one.value, "effect": str(one.effect)} for one in self.node.taints
            ],
            "resolvConf": "",
        }

    def _make_cgroups(self) -> None:
        for controller in CGROUPS.iterdir():
            if (controller / "cgroup.procs").exists():
                (controller / CGROUP / self.node.name).mkdir(parents=True, exist_ok=True)
        for folder in (CGROUPS / "cpuset" / CGROUP, CGROUPS / "cpuset" / CGROUP / self.node.name):
            for file in ("cpuset.cpus", "cpuset.mems"):
                (folder / file).write_text((CGROUPS / "cpuset" / file).read_text())

    def _ctr(self, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        address = f"--address={self._folder / 'containerd.sock'}"
        return subprocess.run(["ctr", address, "--namespace=k8s.io", *arguments], capture_output=True, check=False)

    def _run(self, *command: str) -> "subprocess.Popen[bytes]":
        with (self._folder / f"{Path(command[0]).name}.log").open("ab") as log:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def _write(self, name: str, text: str) -> None:
        (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self._folder / name).write_text(text, encoding="utf-8")


def containerd_toml(folder: Path) -> str:
    """Return the configuration of a containerd that shares nothing with others."""
    return f"""\
version = 2
root = "{folder}/containerd"
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
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
"""


def ptp(number: int) -> dict[str, Any]:
    """Return the network of a node's pods: each is linked with the machine alone."""
    addresses = {"type": "host-local", "subnet": pod_addresses(number), "routes": [{"dst": "0.0.0.0/0"}]}
    plugin = {"type": "ptp", "ipam": addresses}
    return {"cniVersion": "0.4.0", "name": f"node{number}", "plugins": [plugin]}


def pod_addresses(number: int) -> str:
    """Return the addresses of the pods of a node."""
    return f"10.244.{number}.0/24"


def write_pause_image(target: Path) -> None:
    """Write the image of the examples' members, which does nothing until it is told to end."""
    root = target.with_suffix(".root")
    (root / "bin").mkdir(parents=True)
    shutil.copy("/bin/busybox", root / "bin" / "busybox")
    runs = {"Entrypoint": ["/bin/busybox", "sh", "-c", SLEEP]}
    write_archive(target, root, name=IMAGE, architecture="amd64", runs=runs)


@contextmanager
def kubelets(sandbox: Sandbox, nodes: list[Node], folder: Path, operator_image: Path) -> Iterator[None]:
    """Start nodes, and return once all are ready; those without taints have the operator's image too."""
    write_pause_image(folder / "pause.tar")
    kubelet = str(Resolver.of_environment(Silent()).resolve(Tool.KUBELET).path)
    with ExitStack() as leaving:
        for number, node in enumerate(nodes):
            one = KubeletNode(node, number, folder, sandbox)
            leaving.callback(end, one.start_containerd())
            one.import_image(folder / "pause.tar")
            if not node.taints:
                one.import_image(operator_image)
            leaving.callback(end, one.start_kubelet(kubelet))
        eventually(lambda: ready_nodes(sandbox) == {node.name for node in nodes}, seconds=180)
        yield


def end(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process, and return when it is gone."""
    process.kill()
    process.wait()


def last_words(folder: Path, lines: int = 40) -> str:
    """Return what the operator's pods on all nodes have written last: `kubectl logs` finds no way to these nodes."""
    logs = sorted(folder.glob("*/logs/lockstep-system_*/operator/*.log"))
    tails = ((log.parts[-3], log.read_text(encoding="utf-8").splitlines()[-lines:]) for log in logs)
    return "\n".join(f"--- {name}\n" + "\n".join(tail) for name, tail in tails)


def ready_nodes(sandbox: Sandbox) -> set[str]:
    """Return the names of nodes that are ready."""
    return {
        node["metadata"]["name"]
        for node in sandbox.request("GET", "/api/v1/nodes")["items"]
        if {"type": "Ready", "status": "True"}.items()
        <= next((one for one in node["status"].get("conditions", []) if one["type"] == "Ready"), {}).items()
    }
