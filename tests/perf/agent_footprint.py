"""What the measuring half of the agent costs on a node of 110 pods: memory, and processor time for each sample.

    PYTHONPATH=tests nice -n 19 .venv/bin/python tests/perf/agent_footprint.py [SAMPLES]

Prints, and never fails on a figure. The files of the node are laid out in a folder, which is read as /sys is, and the
history is that of a month. Samples are ten seconds apart on the meter's clock, so an hour of them has
twelve writes of the history; members run all the time, so there is no benchmark.
"""

import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

from builders.node_files import NodeFiles
from lockstep.agent.history.history import HourOfLoad
from lockstep.agent.history.history_file import Learnt, save
from lockstep.agent.history.hours import clock_hour
from lockstep.agent.meter import Meter

PODS = 110
MEMBERS = 16
PERIOD = 10.0
MONTH = 30
TODAY = 1_795_449_600.0


def main() -> None:
    """Measure as many samples as the command line says, or those of an hour."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 360
    _say(f"imported: {_memory()}")
    with tempfile.TemporaryDirectory() as folder:
        spent = _sample(Path(folder), samples)
    each = sorted(after - before for before, after in pairwise(spent))
    used = sum(each)
    _say(f"{samples} samples with {PODS} pods: {_memory()}")
    _say(f"processor time of a sample: {median(each) * 1000:.2f} ms in the median, {each[-1] * 1000:.1f} ms at most")
    _say(f"on average {used / (samples * PERIOD):.3%} of a core at a period of {PERIOD:g} s")


def _say(sentence: str) -> None:
    """Write a line; a console that can do more would take more memory than what is measured."""
    sys.stdout.write(f"{sentence}\n")


def _sample(folder: Path, samples: int) -> list[float]:
    """Return the processor time spent in the meter, from the start on, after each sample."""
    node = NodeFiles(folder / "node", cores=64)
    uids = [f"{pod:08x}-0000-4000-8000-000000000000" for pod in range(PODS)]
    node.add(*uids)
    _write_a_month(folder / "history.json")
    meter = Meter(folder / "history.json", root=node.root, proc=node.proc)
    spent = [0.0]
    for number in range(samples):
        node.spend(dict.fromkeys(uids, 0.5), host=1.0)
        before = time.process_time()
        wall = TODAY + number * PERIOD
        meter.sample(number * PERIOD, wall, uids[:MEMBERS], own_wall=wall)
        meter.measured(wall)
        spent.append(spent[-1] + time.process_time() - before)
    return spent


def _write_a_month(file: Path) -> None:
    learnt = Learnt()
    for ago in range(MONTH):
        learnt.history.days[clock_hour(TODAY).day - ago] = [HourOfLoad(0.25, 0.5)] * 24
    save(file, learnt, "another processor")


def _memory() -> str:
    """Return what is resident, and what of it is no file."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    kilobytes = {
        name: int(value.split()[0]) for name, _, value in (line.partition(":") for line in lines) if name in _OF
    }
    return ", ".join(f"{meaning} {kilobytes[name] / 1024:.1f} MiB" for name, meaning in _OF.items())


_OF = {"VmRSS": "resident", "RssAnon": "of it anonymous", "VmHWM": "at most"}


if __name__ == "__main__":
    main()
