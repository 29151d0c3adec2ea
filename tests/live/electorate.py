"""Several operators that elect a leader, each life under a name of its own, and what the audit log has of them."""

import os
import signal
from functools import partial
from itertools import combinations, count
from pathlib import Path
from typing import Any, NamedTuple

from eventually import eventually
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, writes_in
from sandbox import Sandbox

LEASE = "/apis/coordination.k8s.io/v1/namespaces/lockstep-system/leases/lockstep"
# A busy API server that does not answer for some seconds must not cost the leader its lease.
LEASE_SECONDS, DEADLINE_SECONDS = 10, 8
TERMS = (
    "--leader-elect=true",
    f"--leader-elect-lease-duration={LEASE_SECONDS}s",
    f"--leader-elect-renew-deadline={DEADLINE_SECONDS}s",
    "--leader-elect-retry-period=500ms",
)
READS = {"get", "list", "watch"}
NAMES = count(1)
WAITING_FOR_EVENTS = {"232", "281", "22"}  # the system calls epoll_wait and epoll_pwait, of x86-64 and of arm64


class Voter:
    """One life of an operator, under a name that no other life has, on these terms unless the options say others."""

    def __init__(self, kubeconfig: Path, folder: Path, *options: str) -> None:
        self.name = f"voter-{next(NAMES)}"
        self.process = OperatorProcess(
            kubeconfig, folder / self.name, *TERMS, *options, spawn=partial(Forked, pod=self.name)
        )
        self.process.start()

    @property
    def leads(self) -> bool:
        """Whether it says that it leads; one that is gone says nothing."""
        try:
            return self.process.is_alive and self.process.metrics()["lockstep_leader"] == 1
        except OSError:
            return False

    def writes(self) -> float:
        """How much it has written as the leader; nothing where it does not say that it leads."""
        try:
            samples = self.process.metrics() if self.process.is_alive else {}
        except OSError:
            return 0.0
        return writes_in(samples) if samples.get("lockstep_leader") == 1 else 0.0

    def freeze(self) -> None:
        """Stop it while it waits for something to do.

        One that is stopped in the instant between asking the fence and sending would still send that one request.
        """
        eventually(self._is_frozen_at_rest)

    def thaw(self) -> None:
        """Let it go on."""
        os.kill(self._pid, signal.SIGCONT)

    @property
    def _pid(self) -> int:
        return self.process._running().pid

    def _kernel_says(self, name: str) -> str:
        return Path(f"/proc/{self._pid}/{name}").read_text()

    def _is_frozen_at_rest(self) -> bool:
        os.kill(self._pid, signal.SIGSTOP)
        eventually(lambda: "\nState:\tT" in self._kernel_says("status"))
        is_at_rest = self._kernel_says("syscall").split()[0] in WAITING_FOR_EVENTS
        if not is_at_rest:
            self.thaw()
        return is_at_rest


class Tenure(NamedTuple):
    """From the first moment to the last in which the API server was busy with a write of one process."""

    name: str
    first: str
    last: str
    writes: int
    last_write: str


def until_one_leads(voters: list[Voter]) -> Voter:
    """Wait until one of them leads, and return it."""
    return eventually(lambda: next((voter for voter in voters if voter.leads), None))


def tenures(api: Sandbox) -> list[Tenure]:
    """Who has written, and when, but for the lease itself; in the order of time."""
    spans: dict[str, list[tuple[str, str, str]]] = {}
    for event in api.audit_events():
        if is_write(event):
            name = event["userAgent"].partition("(")[2].rstrip(")")
            received, answered = event["requestReceivedTimestamp"], event["stageTimestamp"]
            what = f"{event['verb']} {event['requestURI']}, received {received}, {event.get('responseStatus')}"
            spans.setdefault(name, []).append((answered, received, what))
    return sorted((_tenure(name, writes) for name, writes in spans.items()), key=lambda tenure: tenure.first)


def _tenure(name: str, writes: list[tuple[str, str, str]]) -> Tenure:
    answered, _, what = max(writes)
    return Tenure(name, min(received for _, received, _ in writes), answered, len(writes), what)


def is_write(event: dict[str, Any]) -> bool:
    """Whether the operator asked for a change of anything but the lease."""
    is_operator = event["user"]["username"] == "system:serviceaccount:lockstep-system:lockstep"
    return is_operator and event["verb"] not in READS and event["objectRef"]["resource"] != "leases"


def overlaps(every: list[Tenure]) -> list[tuple[Tenure, Tenure]]:
    """The processes that wrote before another one had written for the last time."""
    return [(one, other) for one, other in combinations(every, 2) if other.first < one.last]
