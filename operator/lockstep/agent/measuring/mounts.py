"""Finds where the host's cgroups are mounted, in /proc/self/mountinfo (proc(5))."""

import re
from dataclasses import dataclass
from pathlib import Path

from lockstep.agent.measuring.small_files import read_text


@dataclass(frozen=True, slots=True, kw_only=True)
class CgroupMount:
    """A cgroup mount. ``unified`` means version 2; ``source`` is its name for messages."""

    folder: Path
    unified: bool
    source: str


def cgroup_mount(proc: Path, root: Path) -> CgroupMount | None:
    """Return the hierarchy below ``root`` that accounts for processor time; None if there is none.

    If version 1 accounts for it, version 1 is read: version 2 is then mounted without controllers. If there are several
    mounts, the last one counts, since it covers the earlier ones.
    """
    mounts = _cgroup_mounts(read_text(proc / "self" / "mountinfo") or "", root)
    first = [folder for folder, kind, options in mounts if kind == "cgroup" and "cpuacct" in options]
    second = [folder for folder, kind, _ in mounts if kind == "cgroup2"]
    if first:
        source = "cgroup v1, hybrid" if second else "cgroup v1"
        return CgroupMount(folder=first[-1], unified=False, source=source)
    return CgroupMount(folder=second[-1], unified=True, source="cgroup v2") if second else None


def _cgroup_mounts(mountinfo: str, root: Path) -> list[tuple[Path, str, list[str]]]:
    """Return (mount point, type, super block options) of each hierarchy below ``root``."""
    mounts = []
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        mount, file_system = before.split(" "), after.split(" ")
        if len(mount) < 6 or len(file_system) < 3 or file_system[0] not in ("cgroup", "cgroup2"):
            continue
        folder = Path(_unescaped(mount[4]))
        if folder.is_relative_to(root):
            mounts.append((folder, file_system[0], file_system[2].split(",")))
    return mounts


def _unescaped(path: str) -> str:
    """Decode a path of mountinfo, in which spaces and similar characters are written as three octal digits."""
    return re.sub(r"\\([0-3][0-7]{2})", lambda digits: chr(int(digits[1], 8)), path)
