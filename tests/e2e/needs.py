"""``python -m e2e.needs``: say in one sentence what this machine lacks for nodes that are real, and fail.

It is about the machine itself: sandbox/needs.sh installs the programs of its distribution.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

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


if __name__ == "__main__":
    main()
