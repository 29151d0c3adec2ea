"""``make scale-upstream``: the gang cases of upstream's own ``scheduler_perf``, unchanged, of the newest release.

They measure kube-scheduler with an API server in one process, without a node. Load A has gangs of the same sizes.
"""

import argparse
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from sandbox.binaries import releases
from sandbox.binaries.cache import Cache
from sandbox.binaries.catalog import recipe
from sandbox.binaries.toolchain import Toolchain
from sandbox.binaries.tools import Tool
from sandbox.progress import Silent

_PACKAGE = "k8s.io/kubernetes/test/integration/scheduler_perf/podgroup/gangscheduling"
_THROUGHPUT = "SchedulingThroughput"


class Throughput(NamedTuple):
    """How many pods a second a case bound: the mean, the median and the 99th percentile of its seconds."""

    case: str
    average: float
    median: float
    p99: float


def main() -> None:
    """Build the cases, run those with a label, and print what they measure."""
    parser = argparse.ArgumentParser(prog="scale.upstream", description=__doc__)
    parser.add_argument("--label", default="performance", help="run the cases with this label of upstream's")
    label = parser.parse_args().label
    with TemporaryDirectory() as folder:
        program = _built(Path(folder))
        _run(program, label, Path(folder))
        Console().print(_table(sorted(_measured(Path(folder)))))


def _built(folder: Path) -> Path:
    """The test program. It takes ten minutes to build where nothing of Kubernetes was built before."""
    program = folder / "gangscheduling.test"
    _in_module("test", "-c", "-o", str(program), _PACKAGE)
    return program


def _run(program: Path, label: str, folder: Path) -> None:
    """Run each case once, in the folder of its package; what it measures is put into ``folder``.

    The API server and etcd log thousands of lines, which stand behind the names of the cases: they are dropped.
    """
    cache = Cache.of_user(os.environ)
    path = f"{cache.path(recipe(Tool.ETCD)).parent}:{os.environ.get('PATH', os.defpath)}"
    command = [program, "-test.run=^$", "-test.bench=BenchmarkPerfScheduling", "-test.benchtime=1x", "-test.timeout=0"]
    options = [f"-perf-scheduling-label-filter={label}", f"-data-items-dir={folder}"]
    source = _in_module("list", "-f", "{{.Dir}}", _PACKAGE).strip()
    subprocess.run(
        [*command, *options],
        cwd=source,
        env=os.environ | {"PATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )


def _in_module(*arguments: str) -> str:
    """Call Go in the module that pins the newest release of Kubernetes; returns what it prints."""
    cache = Cache.of_user(os.environ)
    go = Toolchain(search_path=os.environ.get("PATH", os.defpath), cache=cache, progress=Silent()).go()
    module = recipe(Tool.KUBE_SCHEDULER, releases()[-1]).module_folder
    own = os.environ | {"GOWORK": "off"}
    return subprocess.run([go, *arguments], cwd=module, env=own, stdout=subprocess.PIPE, text=True, check=True).stdout


def _measured(folder: Path) -> Iterator[Throughput]:
    for file in folder.glob("*.json"):
        for item in json.loads(file.read_text(encoding="utf-8"))["dataItems"]:
            if item["labels"]["Metric"] == _THROUGHPUT:
                data = item["data"]
                yield Throughput(item["labels"]["Name"], data["Average"], data["Perc50"], data["Perc99"])


def _table(rows: list[Throughput]) -> Table:
    title = f"scheduler_perf {releases()[-1]}"
    table = Table("case", "pods/s", "median of its seconds", "99th percentile", title=title)
    table.columns[0].overflow = "fold"
    for row in rows:
        # All names begin with that of the benchmark.
        case = row.case.partition("/")[2]
        table.add_row(case, f"{row.average:,.0f}", f"{row.median:,.0f}", f"{row.p99:,.0f}")
    return table


if __name__ == "__main__":
    main()
