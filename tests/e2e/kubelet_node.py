"""One real node: a kubelet and a containerd of its own, and what is done to them."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from e2e.kubelet_settings import IMAGES, containerd_toml, kubelet_configuration, node_address, ptp
from e2e.node_space import NodeSpace
from e2e.service_address import add_address
from eventually import eventually
from sandbox import Node, Sandbox


class KubeletNode:
    """A node of a sandbox; its folder has all that the two processes have on disk."""

    def __init__(self, node: Node, number: int, folder: Path, *, sandbox: Sandbox, program: str) -> None:
        self.node = node
        self._number = number
        self._folder = folder / node.name
        self._sandbox = sandbox
        self._program = program
        self._containerd: subprocess.Popen[bytes] | None = None
        self._kubelet: subprocess.Popen[bytes] | None = None
        (self._folder / "static").mkdir(parents=True)
        self._space = NodeSpace(node.name, self.home)

    @property
    def home(self) -> Path:
        """The folder that the node has as its ``HOME``."""
        return self._folder / "home"

    def start_containerd(self) -> None:
        """Start the one that knows of this node's containers only, and return once it answers."""
        self._write("containerd.toml", containerd_toml(self._folder))
        self._write("cni/10-ptp.conflist", json.dumps(ptp(self._number, self._folder / "addresses")))
        self._containerd = self._run("containerd", "--config", str(self._folder / "containerd.toml"))
        eventually((self._folder / "containerd.sock").exists)
        eventually(lambda: self._ctr("version").returncode == 0)

    def stop_containerd(self) -> None:
        """Kill it."""
        _end(self._containerd)

    def share_images_of(self, other: "KubeletNode") -> None:
        """Have the images that another node has, before either runs a container. Only the databases are copied."""
        own = self._folder / IMAGES
        subprocess.run(["cp", "--archive", "--link", other._folder / IMAGES, own], check=True)
        for database in own.rglob("*.db"):
            database.unlink()
            shutil.copy(other._folder / database.relative_to(self._folder), database)

    def import_image(self, archive: Path) -> None:
        """Have an image at hand."""
        done = self._ctr("images", "import", str(archive))
        assert done.returncode == 0, done.stderr.decode()

    def start_kubelet(self) -> None:
        """Start it; it makes its Node by itself, or finds it."""
        self._write("kubelet.yaml", yaml.safe_dump(kubelet_configuration(self.node, self._number, self._folder)))
        address = node_address(self._number)
        add_address(address)
        self._kubelet = self._run(
            self._program,
            f"--config={self._folder / 'kubelet.yaml'}",
            f"--kubeconfig={self._sandbox.kubeconfig}",
            f"--hostname-override={self.node.name}",
            f"--root-dir={self._folder / 'kubelet'}",
            f"--cert-dir={self._folder / 'pki'}",
            f"--node-ip={address}",
            f"--node-labels={','.join(f'{key}={value}' for key, value in self.node.labels.items())}",
        )

    def stop_kubelet(self) -> None:
        """Kill it; its containers run on, and are not reported."""
        _end(self._kubelet)

    def stop(self) -> None:
        """Kill both; the containers end with the namespace of their processes."""
        _end(self._kubelet)
        _end(self._containerd)
        self._space.close()

    def start_process(self, *command: str) -> "subprocess.Popen[bytes]":
        """Start what is no pod's."""
        return self._run(*command)

    def kill_container(self, container: str) -> None:
        """Kill the processes of a container, by its ID, as a crash would."""
        done = self._ctr("tasks", "kill", "--signal=SIGKILL", "--all", container)
        assert done.returncode == 0, done.stderr.decode()

    def put_static_pod(self, pod: Mapping[str, Any]) -> None:
        """Have the kubelet run a pod that the API server does not know."""
        self._write(f"static/{pod['metadata']['name']}.json", json.dumps(pod))

    def remove_static_pod(self, name: str) -> None:
        """Have the kubelet end such a pod."""
        (self._folder / "static" / f"{name}.json").unlink(missing_ok=True)

    def has_run(self, pod: str) -> bool:
        """Whether a container of a pod of this name has run here, whatever the API server knows of it."""
        return any((self._folder / "logs").glob(f"*_{pod}*/*/*.log"))

    def _ctr(self, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        address = f"--address={self._folder / 'containerd.sock'}"
        return subprocess.run(["ctr", address, "--namespace=k8s.io", *arguments], capture_output=True, check=False)

    def _run(self, *command: str) -> "subprocess.Popen[bytes]":
        with (self._folder / f"{Path(command[0]).name}.log").open("ab") as log:
            return subprocess.Popen(self._space.inside(*command), stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def _write(self, name: str, text: str) -> None:
        (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self._folder / name).write_text(text, encoding="utf-8")


def _end(process: "subprocess.Popen[bytes] | None") -> None:
    if process is not None:
        process.kill()
        process.wait()
