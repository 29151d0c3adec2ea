"""``python -m e2e.needs``: say in one sentence what this machine lacks for nodes that are real, and fail."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

# What must be there, by the package of Debian that has it.
PROGRAMS = {
    "containerd": "containerd",
    "ctr": "containerd",
    "runc": "runc",
    "/usr/lib/cni/ptp": "containernetworking-plugins",
    "/bin/busybox": "busybox-static",
    "ip": "iproute2",
    "unshare": "util-linux",
}
CGROUP_V1 = Path("/sys/fs/cgroup/cpuset")
ROOT = 0


def main() -> None:
    """End with a sentence unless nothing is missing."""
    if missing := [*lacks()]:
        sys.exit(f"Real nodes need more than this machine has: {', '.join(missing)}.")


def lacks() -> Iterator[str]:
    """Yield what is missing."""
    if os.geteuid() != ROOT:
        yield "root's rights"
    if not CGROUP_V1.is_dir():
        yield "control groups of version 1"
    packages = {package for program, package in PROGRAMS.items() if shutil.which(program, path=_search_path()) is None}
    if packages:
        yield f"the packages {', '.join(sorted(packages))} (`apt-get install` on Debian and Ubuntu)"


def _search_path() -> str:
    return f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


if __name__ == "__main__":
    main()
