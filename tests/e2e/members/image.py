"""``python -m e2e.members.image FILE``: an image of members that run real programs, from Debian's packages.

It has Open MPI, an SSH server, Python and the programs of this folder, and nothing of ours. It needs Debian or Ubuntu
with the lists of packages at hand (``apt-get update``), no registry, and no root.
"""

import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
from image.make.archive import write_archive

from sandbox.binaries.catalog import ARCHITECTURES

NAME = "members:e2e"
TORCH_NAME = "members-torch:e2e"
PACKAGES = (
    *("busybox-static", "coreutils", "dash", "libc-bin", "procps"),
    *("openmpi-bin", "openssh-client", "openssh-server"),
    *("python3", "python3-mpi4py"),
)
IMAGES = {NAME: PACKAGES, TORCH_NAME: (*PACKAGES, "python3-torch")}
# A Debian of our days keeps these below /usr, but its packages still have both.
MERGED = ("bin", "sbin", "lib", "lib64")
NOT_NEEDED = ("./usr/share/doc", "./usr/share/man", "./usr/share/locale", "./usr/share/perl")
# What the packages' scripts would do at an installation, as far as these programs need it.
LINKS = {"usr/bin/mpirun": "mpirun.openmpi", "usr/bin/sh": "dash"}
FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nsshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "etc/ssh/sshd_config": "HostKey /run/sshd/host_key\nAuthorizedKeysFile /keys/authorized_keys\nStrictModes no\n",
    "etc/ssh/ssh_config": (
        "IdentityFile /keys/id_ed25519\nIdentityFile ~/.ssh/id_rsa\n"
        "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n"
    ),
    # As in the base image of the MPI operator, which mounts the keys here by default. Only here their mode is 0600:
    # at any other ``sshAuthMountPath`` it is 0644, and ssh and sshd of root refuse such keys.
    "etc/ssh/of_mpi_operator": "HostKey /root/.ssh/id_rsa\nStrictModes no\n",
}
FOLDERS = ("proc", "sys", "dev", "tmp", "root", "run/sshd", "var/run")
PROGRAMS = Path(__file__).with_name("programs")
LIBRARIES = f"/usr/lib/{platform.machine()}-linux-gnu"
ENVIRONMENT = (
    "PATH=/usr/local/bin:/usr/bin:/usr/sbin",
    # Chosen among several by links that are not made here.
    f"LD_LIBRARY_PATH={LIBRARIES}/blas:{LIBRARIES}/lapack",
)
RUNS = {"Cmd": ["/bin/sh"], "Env": [*ENVIRONMENT], "WorkingDir": "/root"}


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--name", type=click.Choice([*IMAGES]), default=NAME, help="Name and tag of the image.")
def main(file: Path, name: str) -> None:
    """Write the image to FILE as an archive that containerd imports."""
    file.parent.mkdir(parents=True, exist_ok=True)
    machine = platform.machine()
    with tempfile.TemporaryDirectory() as folder:
        packages, root = Path(folder) / "packages", Path(folder) / "root"
        download(IMAGES[name], packages)
        unpack(packages, root)
        finish(root)
        write_archive(file, root, name=name, architecture=ARCHITECTURES.get(machine, machine), runs=RUNS)
    click.echo(f"Wrote {file}: {name}, {file.stat().st_size / 2**20:.0f} MiB.")


def download(names: Sequence[str], packages: Path) -> None:
    """Have packages there, with all that they depend on: for apt this is a machine with nothing on it."""
    (packages / "partial").mkdir(parents=True)
    status = packages / "partial" / "status"
    status.touch()
    options = {"Dir::State::status": status, "Dir::Cache::archives": packages, "APT::Sandbox::User": "root"}
    asked = subprocess.run(
        ["apt-get", "install", "--download-only", "--no-install-recommends", "--yes", "--quiet=2"]
        + [f"--option={name}={value}" for name, value in options.items()]
        + [*names],
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode != 0:
        sys.exit(f"The packages of the members' image could not be had; is `apt-get update` due? {asked.stderr}")


def unpack(packages: Path, root: Path) -> None:
    """Unpack what is there; nothing of it is run."""
    for name in MERGED:
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    left_out = [f"--exclude={path}" for path in NOT_NEEDED]
    for package in sorted(packages.glob("*.deb")):
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as content:
            subprocess.run(
                ["tar", "--extract", f"--directory={root}", "--keep-directory-symlink", "--no-same-owner", *left_out],
                stdin=content.stdout,
                check=True,
            )


def finish(root: Path) -> None:
    """Add what makes them run, and the programs of the tests."""
    for name in FOLDERS:
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    for name, target in LINKS.items():
        (root / name).unlink(missing_ok=True)
        (root / name).symlink_to(target)
    shutil.copytree(PROGRAMS, root / "usr/local/bin")


if __name__ == "__main__":
    main()
