"""``python -m e2e.kind.node_image NAME``: build the image of kind's nodes where no registry can be reached.

The programs are those of the sandbox, and kind's own files those of its module. Docker has the base lockstep-base/node.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from e2e.controllers.module_folder import module_folder
from e2e.gangs import IMAGE
from e2e.kubelets import write_pause_image
from sandbox.binaries import Resolver, Tool
from sandbox.progress import Silent

NODE = Path(__file__).with_name("node")
BASE = "lockstep-base/node"
PROGRAMS = (Tool.KUBELET, Tool.KUBEADM, Tool.KUBECTL)
# CoreDNS is left out: what the tests run asks for no names, and ours has not all that kubeadm's configuration names.
IN_CONTAINERS = (Tool.KUBE_APISERVER, Tool.KUBE_CONTROLLER_MANAGER, Tool.KUBE_SCHEDULER, Tool.ETCD, Tool.KUBE_PROXY)
# Of the examples' members, some run commands in this image. That of Debian has them too.
BUSYBOX = "busybox:1.37"
BUSYBOX_DOCKERFILE = 'FROM scratch\nCOPY busybox /bin/busybox\nRUN ["/bin/busybox", "--install", "/bin"]\n'
# Of an image that has nothing but a program, kubeadm asks for the program by its name.
DOCKERFILE = "FROM {base}\nCOPY {tool} /usr/local/bin/{tool}\nENV PATH=/usr/local/bin:/usr/sbin:/usr/bin\n"


def main(name: str) -> None:
    """Build the image with Docker's classic builder."""
    with tempfile.TemporaryDirectory() as folder:
        context = Path(folder)
        shutil.copytree(NODE, context, dirs_exist_ok=True)
        shutil.copytree(module_folder(Tool.KIND, "sigs.k8s.io/kind") / "images" / "base" / "files", context / "files")
        (context / "bin").mkdir()
        for tool in PROGRAMS:
            shutil.copy(program(tool), context / "bin")
        docker("save", f"--output={context / 'images.tar'}", *images(program(Tool.KUBEADM), context))
        docker("build", "--quiet", f"--tag={name}", folder)


def images(kubeadm: Path, folder: Path) -> Iterator[str]:
    """Yield the names of the images that a control plane is made of, each of which Docker has then."""
    version = Resolver.of_environment(Silent()).recipes(Tool.KUBEADM).version
    listed = subprocess.run(
        [kubeadm, "config", "images", "list", f"--kubernetes-version={version}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    for tool in IN_CONTAINERS:
        [name] = [one for one in listed if f"/{tool}:" in one]
        # The proxy runs programs of its base.
        base = BASE if tool is Tool.KUBE_PROXY else "scratch"
        build(name, DOCKERFILE.format(base=base, tool=tool), program(tool))
        yield name
    build(BUSYBOX, BUSYBOX_DOCKERFILE, Path("/bin/busybox"))
    yield BUSYBOX
    write_pause_image(folder / "pause.tar")
    docker("load", f"--input={folder / 'pause.tar'}")
    yield IMAGE


def build(name: str, dockerfile: str, file: Path) -> None:
    """Build the image of one program."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(file, folder)
        (Path(folder) / "Dockerfile").write_text(dockerfile, encoding="utf-8")
        docker("build", "--quiet", f"--tag={name}", folder)


def program(tool: Tool) -> Path:
    """Return where a program is."""
    return Resolver.of_environment(Silent()).resolve(tool).path


def docker(*arguments: str) -> None:
    """Run Docker's client."""
    subprocess.run(["docker", *arguments], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main(sys.argv[1])
