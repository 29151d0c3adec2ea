"""What a node sees of the machine that it shares with others: control groups of its own only, as nodes in kind do.

Its processes are in control groups of their own and see these as the roots. So what measures a node measures no other,
and the kubelet's own work counts too. Everything else is the machine's: how many processors there are, the disk.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
# A folder in every controller of cgroup v1; make removes it. In it each process of the tests has one of its own.
ALL_CGROUPS = "lockstep-e2e"
CGROUP = f"{ALL_CGROUPS}/{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
# Where a node finds a folder of its own: what is kept there, no other node finds.
HOME = Path("/mnt")
# Real nodes have their processors to themselves: on a busy machine, all of them weigh as much as eight other processes.
_SHARES = 8 * 1024

_JOIN = f'for group in {CGROUPS}/*/{CGROUP}/$0; do echo $$ > $group/cgroup.procs; done; exec "$@"'
_READY = b"ready\n"


class NodeSpace:
    """The namespaces of a node's processes. They last until ``close``, or as long as one of the processes does."""

    def __init__(self, name: str, home: Path) -> None:
        self._name = name
        home.mkdir(parents=True)
        _make_groups(name)
        script = "; ".join(["set -e", *_mounts(home), "echo ready", "exec sleep infinity"])
        unshared = ("unshare", "--mount", "--cgroup", "sh", "-c", script)
        self._keeper = subprocess.Popen(self._joined(*unshared), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert self._keeper.stdout is not None
        assert self._keeper.stdout.readline() == _READY, f"node {name} got no control groups of its own"

    def inside(self, *command: str) -> list[str]:
        """Return the command that runs this one on the node."""
        return self._joined("nsenter", "--mount", "--cgroup", f"--target={self._keeper.pid}", *command)

    def close(self) -> None:
        """End it; what runs there runs on."""
        self._keeper.kill()
        self._keeper.communicate()

    def _joined(self, *command: str) -> list[str]:
        return ["sh", "-c", _JOIN, self._name, *command]


def _make_groups(name: str) -> None:
    for hierarchy in _hierarchies():
        (hierarchy / CGROUP / name).mkdir(parents=True, exist_ok=True)
    (CGROUPS / "cpu" / ALL_CGROUPS / "cpu.shares").write_text(str(_SHARES))
    cpus = CGROUPS / "cpuset"
    for folder in (cpus / ALL_CGROUPS, cpus / CGROUP, cpus / CGROUP / name):
        for file in ("cpuset.cpus", "cpuset.mems"):
            (folder / file).write_text((cpus / file).read_text())


def _mounts(home: Path) -> Iterator[str]:
    """Yield what is mounted: each hierarchy anew, which shows what is below the node's own group."""
    for hierarchy in _hierarchies():
        yield f"umount {hierarchy}"
        yield f"mount -t {_type_and_options(hierarchy.name)} none {hierarchy}"
    yield f"mount --bind {home} {HOME}"
    # No user is logged in there.
    yield "mount -t devpts -o newinstance none /dev/pts"
    yield "mkdir -p /run/systemd"
    yield "mount -t tmpfs none /run/systemd"


def _hierarchies() -> list[Path]:
    return [one for one in sorted(CGROUPS.iterdir()) if (one / "cgroup.procs").exists() and not one.is_symlink()]


def _type_and_options(name: str) -> str:
    if name == "unified":
        return "cgroup2"
    return f"cgroup -o {'none,name=systemd' if name == 'systemd' else name}"
