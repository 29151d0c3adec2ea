"""Files of any content: the meter never raises, and what it reports stays within its bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.node_files import NodeFiles
from lockstep.agent.meter import Meter

GANG = "0a1b2c3d-0000-4000-8000-00000000000a"
WALL = 1_795_449_600.0
LINES = (
    "cpu  1 2 3 4 5 6 7 {} 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n",
    "cpu\ncpu0\n",
    "usage_usec {}\n",
    "{}\n",
    "some avg10=0.00 total={}\n",
    "35 24 0:30 / /sys/fs/cgroup\\000\\{} rw - cgroup2 cgroup2 rw\n",
    "- - - - {}\n",
    "ACTIVE={}\nTYPE=x11\nTTY=\n",
    "model name : {}\n",
)
numbers = st.integers(-(10**45), 10**45).map(str) | st.sampled_from(["", "nan", "1e9", "²", "0x10", "-0"])
contents = st.binary(max_size=200) | st.builds(
    lambda line, number: line.format(number).encode(), st.sampled_from(LINES), numbers
)
FILES = ("proc/stat", "proc/self/mountinfo", "proc/pressure/cpu", "proc/cpuinfo", "node", "pods", "pod", "session")


def path_of(node, name):
    folders = {"node": node.mount, "pods": node.folder_of(GANG).parents[1], "pod": node.folder_of(GANG)}
    if name in folders:
        return folders[name] / ("cpu.stat" if node.layout == "v2" else "cpuacct.usage")
    return node.root / ("run/systemd/sessions/1" if name == "session" else name)


@pytest.mark.parametrize("layout", ["v1", "v2"])
@given(
    before=st.dictionaries(st.sampled_from(FILES), contents), after=st.dictionaries(st.sampled_from(FILES), contents)
)
def test_any_files_are_measured_or_left_out(tmp_path_factory, layout, before, after):
    folder = tmp_path_factory.mktemp("node")
    node = NodeFiles(folder, layout=layout)
    node.add(GANG)
    (folder / "run" / "systemd" / "sessions").mkdir(parents=True)
    meter = Meter(folder / "history.json", root=folder, proc=node.proc)

    for number, files in enumerate((before, after, {})):
        for name, content in files.items():
            path_of(node, name).write_bytes(content)
        meter.sample(number * 10.0, WALL + number * 10, [GANG], own_wall=WALL + number * 10)
        known = meter.measured(WALL + number * 10)

        assert known.duty_cycle is None or 0 <= known.duty_cycle <= 1000
        assert known.owner_present in (None, False, True)
        if known.usage is not None:
            used = known.usage
            shares = (used.cores_gang, used.cores_other_pods, used.cores_host, used.steal, used.free)
            assert min(shares) >= -1e-9
            assert sum(shares) == pytest.approx(used.cores_total)
            assert used.cpu_pressure is None or 0 <= used.cpu_pressure <= 1
