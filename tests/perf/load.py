"""Ten thousand GangJobs at once, a tenth of them nonsense: how long, how much memory, how slow the pages become."""

import argparse
import time
from pathlib import Path
from tempfile import mkdtemp

from rich.console import Console

from builders.manifests import POOL_LABEL
from eventually import eventually
from live.crowd import Asker, Crowd
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import Component, Node, Options, start

GANGS = 10_000
NODES = 100
HOURS = 4
# A list of ten thousand costs the API server a second.
ASKED_EVERY_SECONDS = 20
ADDONS = frozenset({Component.KWOK, Component.CONTROLLER_MANAGER})


def main() -> None:
    """Submit, wait, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gangs", type=int, default=GANGS)
    count = parser.parse_args().gangs
    console = Console()
    folder = Path(mkdtemp(prefix="load-"))
    with start(Options(name="load", addons=ADDONS, state=folder)) as api:
        install(api)
        api.create_namespace("load")
        allocatable = {"cpu": "16", "memory": "64Gi", "pods": "110"}
        api.create_nodes(
            Node(name=f"n{i:03}", labels={POOL_LABEL: "load"}, allocatable=allocatable) for i in range(NODES)
        )
        kubeconfig = api.kubeconfig_for_service_account("lockstep-system", "lockstep")
        with running(OperatorProcess(kubeconfig, folder / "log")) as operator, Asker(operator) as asker:
            crowd = Crowd(api, "load", count, pool="load")
            began = time.monotonic()
            crowd.submit()
            console.print(
                f"submitted {count:,} gangs in {time.monotonic() - began:.0f} s, {len(crowd.nonsense):,} nonsense"
            )
            eventually(crowd.is_over, seconds=HOURS * 3600, every=ASKED_EVERY_SECONDS)
            took = time.monotonic() - began
            errors = operator.metrics()['lockstep_cycles_total{result="error"}']
        console.print(f"nonsense: {crowd.refused_at_once:,} refused at once, the others marked")
        console.print(f"all {len(crowd.sound):,} sound gangs had succeeded after {took:.0f} s")
        console.print(f"overtaken by a gang that came 10 s or more later: {crowd.overtaken(seconds=10):,}")
        console.print(f"peak memory of the operator: {asker.most_bytes / 2**20:.0f} MiB; cycles failed: {errors:g}")
        for page, seconds in asker.pages.slowest.items():
            console.print(f"slowest answer of {page}: {seconds:.2f} s")
        console.print(f"answers that took over a second: {asker.pages.late:,} of {asker.pages.asked:,}")
        console.print(f"wrong answers: {asker.pages.wrong or 'none'}")


if __name__ == "__main__":
    main()
