"""Reads the processor time of the node, of all pods and of members from cgroups, version 1 or 2."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.agent.measuring.mounts import CgroupMount
from lockstep.agent.measuring.small_files import as_count, folders_in, is_folder, read_number, read_text

DEEPEST = 5
"""The kubelet's folder of pods is searched to this depth below the mount, since its cgroupRoot is not deep."""
MOST_FOLDERS = 5_000
"""The most folders that are searched for the kubelet's folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Processor seconds since each cgroup was created.

    ``node`` is the whole node, ``pods`` are all pods. ``gang_pods`` has the seconds of each requested pod that exists,
    by UID. ``all_pods`` has the UIDs of all pods.
    """

    node: float
    pods: float
    gang_pods: dict[str, float] = field(default_factory=dict)
    all_pods: frozenset[str] = frozenset()


class Cgroups:
    """Reads one cgroup hierarchy. It remembers the kubelet's folders of pods, and searches again when they are gone."""

    def __init__(self, mount: CgroupMount) -> None:
        self._mount = mount
        self._pods_folders: tuple[Path, ...] = ()

    def counted(self, gang_pods: Collection[str]) -> Counted | None:
        """Read the counters of the node, of all pods and of these pods; None if the node's counter can't be read."""
        node = self._seconds(self._mount.folder)
        if node is None:
            return None
        if not any(is_folder(folder) for folder in self._pods_folders):
            self._pods_folders = _pods_folders(self._mount.folder)
        folders = self._pod_folders()
        return Counted(
            node=node,
            pods=sum(self._seconds(folder) or 0.0 for folder in self._pods_folders),
            gang_pods=self._gang_seconds(folders, gang_pods),
            all_pods=frozenset(folders),
        )

    def _gang_seconds(self, folders: dict[str, Path], gang_pods: Collection[str]) -> dict[str, float]:
        read = {uid: self._seconds(folders[uid]) for uid in map(_normalized, gang_pods) if uid in folders}
        return {uid: seconds for uid, seconds in read.items() if seconds is not None}

    def _pod_folders(self) -> dict[str, Path]:
        """Return the folder of every pod.

        Guaranteed pods are directly in the kubelet's folder, others in that of their QoS class.
        """
        levels = [
            level
            for top in self._pods_folders
            for level in (top, *(top / name for name in folders_in(top) if "burstable" in name or "besteffort" in name))
        ]
        return {
            uid: level / name for level in levels for name in folders_in(level) if (uid := _pod_of(name)) is not None
        }

    def _seconds(self, folder: Path) -> float | None:
        if not self._mount.unified:
            nanoseconds = read_number(folder / "cpuacct.usage")
            return None if nanoseconds is None else nanoseconds / 1e9
        for line in (read_text(folder / "cpu.stat") or "").splitlines():
            name, _, value = line.partition(" ")
            if name == "usage_usec" and (microseconds := as_count(value)) is not None:
                return microseconds / 1e6
        return None


def _pods_folders(mount: Path) -> tuple[Path, ...]:
    """Find the kubelet's folders of pods, the least deep first. There are several if several kubelets share a host.

    They are named ``kubepods`` with cgroupfs, and ``kubepods.slice`` or ``NAME-kubepods.slice`` with systemd, below any
    cgroupRoot.
    """
    found: list[Path] = []
    level, searched = [mount], 0
    for _ in range(DEEPEST):
        below = [folder / name for folder in level for name in folders_in(folder)]
        searched += len(below)
        if searched > MOST_FOLDERS:
            break
        found += [path for path in below if _holds_pods(path.name)]
        level = [path for path in below if not _holds_pods(path.name)]
    return tuple(found)


def _holds_pods(name: str) -> bool:
    return name in ("kubepods", "kubepods.slice") or name.endswith("-kubepods.slice")


def _pod_of(name: str) -> str | None:
    """Return the UID of the pod with this folder; None if it is not the folder of a pod.

    The folder is named ``podUID``, or ``kubepods-CLASS-podUID.slice`` with _ instead of - in the UID.
    """
    before, pod, uid = name.removesuffix(".slice").rpartition("pod")
    return _normalized(uid) if pod and uid and (not before or before.endswith("-")) else None


def _normalized(uid: str) -> str:
    return uid.replace("_", "-")
