"""What a load costs each process: CPU time, memory and requests that write."""

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bench_cluster import writes

from lockstep_demo.operator_process import OperatorProcess
from sandbox import Sandbox, processes


class Spent(NamedTuple):
    """CPU seconds of each process since its start, and requests that wrote."""

    cpu: Mapping[str, float]
    writes: float

    def since(self, before: "Spent") -> "Spent":
        """What was spent after ``before``."""
        return Spent(
            {name: cpu - before.cpu.get(name, 0.0) for name, cpu in self.cpu.items()}, self.writes - before.writes
        )


def spent(sandbox: Sandbox, operator: OperatorProcess | None, folder: Path) -> Spent:
    """What was spent until now. ``folder`` marks the processes of other controllers."""
    running = processes.running(sandbox.kubeconfig.parent) | processes.running(folder)
    cpu = Counter[str]()
    for pid, component in running.items():
        cpu[component] += _cpu_seconds(pid)
    if operator is not None:
        cpu["operator"] = operator.cpu_seconds()
    return Spent(cpu, writes(sandbox))


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
