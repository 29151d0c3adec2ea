"""Real nodes on one machine: for each a kubelet and a containerd of its own, beside a sandbox's control plane.

They need what `python -m e2e.needs` asks for, and namespaces of their own for the network, mounts and processes:
`make e2e-kubelets` and `make e2e-nodes` make these, and with their end everything ends.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from image.make.archive import write_archive

from e2e.gangs import IMAGE
from e2e.kubelet_node import KubeletNode
from eventually import eventually
from sandbox import Node, Sandbox
from sandbox.binaries import Resolver, Tool
from sandbox.progress import Silent

SLEEP = "trap 'exit 0' TERM; /bin/busybox sleep 86400 & wait"
READY_SECONDS = 180.0


@contextmanager
def kubelets(
    sandbox: Sandbox, nodes: Sequence[Node], folder: Path, *, operator: Path, members: Sequence[Path] = ()
) -> Iterator[Mapping[str, KubeletNode]]:
    """Start nodes, and yield them by name once all are ready.

    All have the operator's image, which is also that of the gates before members, and that of members that do nothing.
    ``members`` are the archives of images of members that do something.
    """
    pause = folder / "pause.tar"
    write_pause_image(pause)
    program = str(Resolver.of_environment(Silent()).resolve(Tool.KUBELET).path)
    started = {
        node.name: KubeletNode(node, number, folder, sandbox=sandbox, program=program)
        for number, node in enumerate(nodes)
    }
    with ExitStack() as leaving:
        for one in started.values():
            leaving.callback(one.stop)
        import_images([*started.values()], [pause, operator, *members])
        # That was a gigabyte. While it is written to the disk, an API server may not answer for half a minute.
        os.sync()
        for one in started.values():
            one.start_containerd()
            one.start_kubelet()
        eventually(lambda: ready_nodes(sandbox) == set(started), seconds=READY_SECONDS)
        yield started


def import_images(nodes: Sequence[KubeletNode], archives: Sequence[Path]) -> None:
    """Have images at hand on all nodes. One imports them, and the others share its files, which no node changes."""
    first, *others = nodes
    first.start_containerd()
    for archive in archives:
        first.import_image(archive)
    first.stop_containerd()
    for node in others:
        node.share_images_of(first)


def write_pause_image(target: Path) -> None:
    """Write the image of the examples' members, which does nothing until a signal ends it."""
    root = target.with_suffix(".root")
    (root / "bin").mkdir(parents=True)
    shutil.copy("/bin/busybox", root / "bin" / "busybox")
    runs = {"Entrypoint": ["/bin/busybox", "sh", "-c", SLEEP]}
    write_archive(target, root, name=IMAGE, architecture="amd64", runs=runs)


def last_words(folder: Path, lines: int = 40) -> str:
    """Return what the operator's pods on all nodes have written last, also those that are gone."""
    logs = sorted(folder.glob("*/logs/lockstep-system_*/operator/*.log"))
    tails = ((log.parts[-3], log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]) for log in logs)
    return "\n".join(f"--- {name}\n" + "\n".join(tail) for name, tail in tails)


def ready_nodes(sandbox: Sandbox) -> set[str]:
    """Return the names of nodes that are ready."""
    return {
        node["metadata"]["name"]
        for node in sandbox.request("GET", "/api/v1/nodes")["items"]
        if {"type": "Ready", "status": "True"}.items()
        <= next((one for one in node["status"].get("conditions", []) if one["type"] == "Ready"), {}).items()
    }
