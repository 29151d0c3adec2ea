"""The files of a node as its kernel and its kubelet lay them out, with counters that a test moves on.

Mounts and the lines of files are as ``tests/operator/agent/measuring/recorded`` has them of a host with version 1 of
control groups beside version 2. For version 2 alone they are as the kernel's documentation has them.
"""

import os
import shutil

CLASSES = ("", "burstable", "besteffort")
MOUNTS = {
    "v1": "33 31 0:30 / {root}/sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct",
    "hybrid": "33 31 0:30 / {root}/sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct\n"
    "41 31 0:38 / {root}/sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw",
    "v2": "35 24 0:30 / {root}/sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot",
}
FOLDERS = {"v1": "sys/fs/cgroup/cpu,cpuacct", "hybrid": "sys/fs/cgroup/cpuacct", "v2": "sys/fs/cgroup"}
OTHERS = "23 1 0:22 / /proc rw - proc proc rw\n31 23 0:28 / {root}/sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"


class NodeFiles:
    """A node below a folder; ``kubelet_root`` is the kubelet's cgroupRoot, such as ``/foo``."""

    def __init__(self, folder, *, layout="v2", driver="cgroupfs", kubelet_root="", cores=2):
        self.root, self.proc = folder, folder / "proc"
        self.layout, self.driver, self.kubelet_root, self.cores = layout, driver, kubelet_root, cores
        self.mount = folder / FOLDERS[layout]
        self.pods, self._written = {}, {}
        self._folders = set()
        self._by_class = dict.fromkeys(CLASSES, 0.0)
        self._by_pod, self._host, self._steal, self._waited = {}, 100.0, 0.0, 0.0
        (self.proc / "self").mkdir(parents=True)
        (self.proc / "pressure").mkdir()
        mounted_at = str(folder).replace(" ", "\\040")
        (self.proc / "self" / "mountinfo").write_text((OTHERS + MOUNTS[layout] + "\n").format(root=mounted_at))
        (self.proc / "cpuinfo").write_text("processor\t: 0\nmodel name\t: Some Processor 7\n")
        self.spend()

    def add(self, *uids, pod_class="burstable"):
        """Make folders of pods; the class of the Guaranteed is ""."""
        for uid in uids:
            self.pods[uid], self._by_pod[uid] = pod_class, 0.0
        self.spend()

    def remove(self, uid):
        """The folder goes; what the pod has used stays with those above it."""
        shutil.rmtree(self.folder_of(uid))
        del self.pods[uid]

    def spend(self, pods=None, *, host=0.0, steal=0.0, waited=0.0):
        """Move counters on by seconds, those of pods by UID, and write all of them down."""
        self._host, self._steal, self._waited = self._host + host, self._steal + steal, self._waited + waited
        for uid, seconds in (pods or {}).items():
            self._by_pod[uid] += seconds
            self._by_class[self.pods[uid]] += seconds
        self._write()

    def typed_last(self, at):
        """A user is logged in at a terminal, and typed there last at that time, by the node's own clock."""
        sessions, terminal = self.root / "run" / "systemd" / "sessions", self.root / "dev" / "pts" / "0"
        for folder in (sessions, terminal.parent):
            folder.mkdir(parents=True, exist_ok=True)
        (sessions / "1").write_text("ACTIVE=1\nSTATE=active\nTYPE=tty\nCLASS=user\nTTY=pts/0\n")
        terminal.touch()
        os.utime(terminal, (at, at))

    def count(self, folder, seconds):
        """Write one counter, whatever it was."""
        if folder not in self._folders:
            folder.mkdir(parents=True, exist_ok=True)
            self._folders.add(folder)
        if self.layout == "v2":
            used = round(seconds * 1_000_000)
            text = f"usage_usec {used}\nuser_usec {used}\nsystem_usec 0\nnice_usec 0\n"
            self._put(folder / "cpu.stat", text)
        else:
            self._put(folder / "cpuacct.usage", f"{round(seconds * 1_000_000_000)}\n")

    def folder_of(self, uid):
        """The folder of a pod."""
        return self._class_folder(self.pods[uid]) / self._name(self.pods[uid], f"pod{uid}")

    def _write(self):
        everything = sum(self._by_class.values())
        self.count(self.mount, self._host + everything)
        for pod_class, seconds in self._by_class.items():
            self.count(self._class_folder(pod_class), seconds if pod_class else everything)
        for uid in self.pods:
            self.count(self.folder_of(uid), self._by_pod[uid])
        ticks = f"0 0 0 0 0 0 0 {round(self._steal * 100)} 0 0"
        rows = [f"cpu  {ticks}", *(f"cpu{core} {ticks}" for core in range(self.cores)), "btime 1795448013"]
        self._put(self.proc / "stat", "\n".join(rows) + "\n")
        stalled = round(self._waited * 1_000_000)
        some = f"some avg10=22.12 avg60=70.53 avg300=65.01 total={stalled}"
        full = "full avg10=0.00 avg60=0.00 avg300=0.00 total=0"
        self._put(self.proc / "pressure" / "cpu", f"{some}\n{full}\n")

    def _put(self, path, text):
        """Write what has changed only: a day of samples writes thousands of files."""
        if self._written.get(path) != text:
            self._written[path] = text
            path.write_text(text)

    def _class_folder(self, pod_class):
        top = self._top()
        return top / self._name(pod_class, "") if pod_class else top

    def _top(self):
        if self.driver == "cgroupfs":
            return self.mount / self.kubelet_root.lstrip("/") / "kubepods"
        if not self.kubelet_root:
            return self.mount / "kubepods.slice"
        name = self.kubelet_root.lstrip("/")
        return self.mount / f"{name}.slice" / f"{name}-kubepods.slice"

    def _name(self, pod_class, pod):
        """A folder's own name: systemd's say where they are."""
        if self.driver == "cgroupfs":
            return pod or pod_class
        parts = [self.kubelet_root.lstrip("/"), "kubepods", pod_class, pod.replace("-", "_")]
        return "-".join(part for part in parts if part) + ".slice"
