"""Reads how much memory the process may have: the limit of its container, or all memory of the machine."""

import os
from pathlib import Path

# The files in which a container sees its own memory limit, in cgroup v2 and in cgroup v1 (cgroups(7)).
_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")
_CONTROL_GROUPS = Path("/sys/fs/cgroup")


def memory_limit_bytes(control_groups: Path = _CONTROL_GROUPS) -> int:
    """The least of the limits in that folder and the machine's memory, in bytes.

    If there is no limit, cgroup v2 has ``max`` in the file, and cgroup v1 a number beyond any memory. A limit may
    change while the container runs, so callers read it again.
    """
    limits = (_number_in(control_groups / name) for name in _LIMITS)
    return min([_machine_bytes(), *(limit for limit in limits if limit is not None)])


def _machine_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _number_in(path: Path) -> int | None:
    """The number in the file; None if there is no such file, or no number in it."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
