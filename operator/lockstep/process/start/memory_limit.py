"""How much memory the process may have: the limit of its container, or all memory of the machine."""

import os
from pathlib import Path

# Where a container sees its own control group, of version 2 and of version 1 (cgroups(7)).
_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")
_CONTROL_GROUPS = Path("/sys/fs/cgroup")


def memory_limit_bytes(control_groups: Path = _CONTROL_GROUPS) -> int:
    """The least of the limits in that folder and the machine's memory, in bytes.

    Version 2 writes ``max`` where there is no limit, and version 1 a number beyond any memory. A limit may change while
    the container runs, so callers read it again.
    """
    limits = (_number_in(control_groups / name) for name in _LIMITS)
    return min([_machine_bytes(), *(limit for limit in limits if limit is not None)])


def _machine_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _number_in(path: Path) -> int | None:
    """The number that the file has; None if there is no such file, or no number in it."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
