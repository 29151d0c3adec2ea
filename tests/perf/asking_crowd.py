"""What a crowd that asks the server of answers costs others: the time to Placed with and without it, in turns.

50 users ask 1,000 questions in each round. Ten of them read a byte a second, and ten never read. One user beside
them asks five questions.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import mkdtemp
from typing import NamedTuple
from urllib.parse import urlsplit

from rich.console import Console

from builders.manifests import gang
from eventually import eventually
from live.questions import Asking, Reader, Users, ask_all
from live.tenant_answers import API, SYSTEM, RecorderBeside, Server, cluster_with_front, is_available
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import Component, Sandbox, generic_nodes, processes
from sandbox.pki import Authority

ROUNDS = 5
NODES = 100
WAITING = 400
GANGS = 8
SECONDS = 10.0
ASKERS = "askers"
GANG_JOBS = "/apis/lockstep.dev/v1alpha1/namespaces/{}/gangjobs"
OF_NAMESPACE = f"{API}/namespaces/{ASKERS}"
PATHS = tuple(
    f"{OF_NAMESPACE}/{path}"
    for path in ("queues/default", "timelines/default", "gangjobexplanations/w-7", "histories/default")
)
CROWD = [
    Users("greedy", Reader.AT_ONCE, 30, 20, PATHS, SECONDS, SECONDS),
    Users("slow", Reader.SLOWLY, 10, 20, PATHS[:2], SECONDS, SECONDS),
    Users("hung", Reader.NEVER, 10, 20, PATHS[:2], SECONDS, SECONDS),
    # A user beside them, who asks now and then.
    Users("calm", Reader.AT_ONCE, 1, 5, PATHS[:1], SECONDS, SECONDS),
]


class Processes(NamedTuple):
    """The processes whose CPU time is measured."""

    api: Sandbox
    operator: OperatorProcess
    server: Server

    def cpu_seconds(self) -> Counter[str]:
        """The CPU time that each has used, by its name."""
        found = processes.running(self.api._site.folder.root)
        [api_server] = [pid for pid, component in found.items() if component == Component.API_SERVER]
        pids = {"API server": api_server, "server of answers": self.server.pid}
        used = {name: _cpu_seconds(pid) for name, pid in pids.items()}
        return Counter({**used, "operator": self.operator.cpu_seconds()})


def main() -> None:
    """Measure in turns, and print."""
    console, folder = Console(), Path(mkdtemp(prefix="asking-"))
    with _cluster(folder) as (which, asking), ProcessPoolExecutor(1, get_context("forkserver")) as askers:
        seconds: dict[bool, list[float]] = {False: [], True: []}
        cpu: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
        codes = Counter[tuple[str, str]]()
        for number in range(ROUNDS):
            for with_crowd in (False, True):
                before = which.cpu_seconds()
                crowd = askers.submit(ask_all, asking, CROWD) if with_crowd else None
                seconds[with_crowd] += _times_to_placed(which.api, f"{number}-{with_crowd}".lower())
                codes += crowd.result() if crowd else Counter()
                cpu[with_crowd].update(which.cpu_seconds() - before)
    for with_crowd, times in seconds.items():
        title = "with the crowd" if with_crowd else "without"
        used = ", ".join(f"{name} {spent / ROUNDS:.1f} s" for name, spent in sorted(cpu[with_crowd].items()))
        console.print(
            f"{title}: Placed after {median(times):.2f} s (p50), {max(times):.2f} s (max); CPU a round: {used}"
        )
    for (name, code), count in sorted(codes.items()):
        console.print(f"{name}: {count} times {code}")


@contextmanager
def _cluster(folder: Path) -> Iterator[tuple[Processes, Asking]]:
    """A control plane with all parts beside it, where many gangs of the askers' namespace wait."""
    authority = Authority(folder / "front")
    pair = authority.issue_client("front-proxy-client")
    with cluster_with_front("asking", folder, authority, pair) as api:
        for namespace in (ASKERS, "others"):
            api.create_namespace(namespace)
        api.create_nodes(generic_nodes(NODES))
        api.kubectl(
            *("create", "rolebinding", ASKERS, "--clusterrole=view", f"--group={ASKERS}"), f"--namespace={ASKERS}"
        )
        kubeconfig = api.kubeconfig_for_service_account(SYSTEM, "lockstep")
        options = ("--leader-elect=true", f"--leader-elect-resource-namespace={SYSTEM}", "--tenant-answers=true")
        with running(OperatorProcess(kubeconfig, folder / "operator", *options)) as operator:
            _fill(api)
            with _answering(api, folder) as server:
                place = urlsplit(api.server)
                asking = Asking(place.hostname, place.port, api.ca_file, api._site.admin, ASKERS)
                yield Processes(api, operator, server), asking


@contextmanager
def _answering(api: Sandbox, folder: Path) -> Iterator[Server]:
    recorder = RecorderBeside(api, folder / "recorder")
    server = Server(api, folder / "answers", recorder)
    recorder.start()
    try:
        eventually(recorder.is_ready, every=0.25)
        server.make_service(api)
        server.start()
        eventually(lambda: is_available(api), every=0.25)
        yield server
    finally:
        server.kill()
        recorder.kill()


def _fill(api: Sandbox) -> None:
    """Let gangs wait that need more nodes than there are, so that answers are long."""
    for number in range(WAITING):
        waiting = gang(f"w-{number}", size=2 * NODES, cpu="6", work={"serialTime": "1h"})
        api.request("POST", GANG_JOBS.format(ASKERS), waiting)


def _times_to_placed(api: Sandbox, name: str) -> list[float]:
    """How long each of some gangs takes, one after the other, over the time in which the crowd asks."""
    times = []
    for number in range(GANGS):
        began = time.monotonic()
        api.request("POST", GANG_JOBS.format("others"), gang(f"g-{name}-{number}", size=4, cpu="100m"))
        eventually(lambda one=f"g-{name}-{number}": _is_placed(api, one), every=0.02)
        times.append(time.monotonic() - began)
        time.sleep(max(0.0, SECONDS / GANGS - times[-1]))
    return times


def _is_placed(api: Sandbox, name: str) -> bool:
    status = api.request("GET", f"{GANG_JOBS.format('others')}/{name}").get("status", {})
    return any(one["type"] == "Placed" and one["status"] == "True" for one in status.get("conditions", ()))


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
