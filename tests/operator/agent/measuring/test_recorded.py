"""Counters as a real kernel showed them: Linux 6.18 with control groups of version 1 beside version 2.

``recorded`` has the files of a machine with two processors, ten seconds apart. In between a process in a group of its
own used nearly half a core; that group is called by the UID of a pod here, and the one around it ``kubepods``. Both
versions were read live, for the same process.

Version 2 was mounted beside version 1 there, without controllers: the lines that its ``cpu.stat`` has beyond these
where it is alone are as the kernel's documentation has them.
"""

from pathlib import Path

import pytest

from lockstep.agent.measuring.sampler import Sampler

RECORDED = Path(__file__).parent / "recorded"
GANG = "0a1b2c3d-0000-4000-8000-00000000000a"
HYBRID, ALONE = "cgroup v1, hybrid", "cgroup v2"
FOLDERS = {HYBRID: ("v1", "cpuacct"), ALONE: ("v2", "unified")}
TICKS_A_SECOND = 100
# Of controllers that count: none was on while this was recorded.
DOCUMENTED = (
    "core_sched.force_idle_usec 0\nnr_periods 100\nnr_throttled 7\nthrottled_usec 123456\nnr_bursts 0\nburst_usec 0\n"
)


class Host:
    """A folder that has the recorded files where a host has them; of one version alone there are no other mounts."""

    def __init__(self, root, source):
        self.root, self.proc, self.source = root, root / "proc", source
        self._version, name = FOLDERS[source]
        self._mount = root / "sys" / "fs" / "cgroup" / name
        lines = (RECORDED / "mountinfo").read_text().splitlines(keepends=True)
        mounts = [line for line in lines if source == HYBRID or " - cgroup2 " in line]
        self._put(self.proc / "self" / "mountinfo", "".join(mounts).replace(" /sys/", f" {root}/sys/"))

    def show(self, moment, *, more=""):
        """Lay out what was recorded at that moment, and ``more`` at the end of each file of control groups."""
        for folder, place, end in (("proc", self.proc, ""), (self._version, self._mount, more)):
            for file in (RECORDED / moment / folder).rglob("*"):
                if file.is_file():
                    self._put(place / file.relative_to(RECORDED / moment / folder), file.read_text() + end)

    def _put(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def seconds():
    """How long it was between the two moments."""
    before, after = (
        float((RECORDED / moment / "proc" / "uptime").read_text().split()[0]) for moment in ("before", "after")
    )
    return after - before


def measured(root, source, *, more=""):
    """Who used the processors between the two moments."""
    host = Host(root, source)
    sampler = Sampler(root=host.root, proc=host.proc)
    host.show("before", more=more)
    assert sampler.sample(0.0, [GANG]) is None
    host.show("after", more=more)
    lasted, usage = sampler.sample(seconds(), [GANG])
    assert (lasted, sampler.source) == (seconds(), source)
    return usage


def busy_by_proc_stat():
    """Cores that were busy, as /proc/stat counts them: all but idle, waiting and stolen."""
    rows = [
        [int(word) for word in (RECORDED / moment / "proc" / "stat").read_text().splitlines()[0].split()[1:]]
        for moment in ("before", "after")
    ]
    ticks = [after - before for before, after in zip(*rows, strict=True)]
    return (sum(ticks[:3]) + sum(ticks[5:7])) / TICKS_A_SECOND / seconds()


@pytest.mark.parametrize("source", [HYBRID, ALONE])
def test_recorded_counters_are_read(tmp_path, source):
    usage = measured(tmp_path, source)

    assert usage.cores_total == 2
    assert usage.cores_gang == pytest.approx(0.472, abs=0.001), "4.73 s of 10.02 s"
    assert usage.cores_other_pods == pytest.approx(0, abs=0.001), "folders are read one after the other"
    assert usage.cores_gang + usage.cores_host == pytest.approx(busy_by_proc_stat(), rel=0.02)
    assert usage.steal == pytest.approx(0.001, abs=0.0001), "one tick"
    assert usage.cpu_pressure == pytest.approx(0.0909, abs=0.0001), "0.91 s of 10.02 s"


def test_both_versions_count_alike(tmp_path):
    first, second = (measured(tmp_path / version, source) for version, source in (("v1", HYBRID), ("v2", ALONE)))

    assert second.cores_gang == pytest.approx(first.cores_gang, rel=1e-3)
    assert second.cores_host == pytest.approx(first.cores_host, rel=0.02)


def test_lines_that_only_version_2_alone_has_change_nothing(tmp_path):
    assert measured(tmp_path / "more", ALONE, more=DOCUMENTED) == measured(tmp_path / "less", ALONE)
