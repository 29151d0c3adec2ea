"""What a kubelet would do for the operator's pods, in a sandbox whose pods only pretend to run.

For every pod of the operator that kwok shows running there is a process of the command ``lockstep``. It has the
container's own arguments and environment, and a token of its service account. A process that ends is started again
while its pod is there. It is asked to end when its pod is deleted, and killed where the pod is gone without a grace
period.
"""

import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from e2e.release import PODS
from sandbox import Sandbox, processes
from sandbox.binaries import Resolver, Tool
from sandbox.ports import LOOPBACK
from sandbox.processes import Mark
from sandbox.progress import Silent

Manifest = dict[str, Any]

POLL_SECONDS = 0.1
STOP_SECONDS = 20.0
# What differs when all pods share one machine: no port twice, and no place of its own for a token.
ON_ONE_MACHINE = (f"--listen-host={LOOPBACK}", "--listen-port=0", "--debug-listen-port=0")


@dataclass(slots=True, kw_only=True)
class Running:
    """A pod, and the process that it would be."""

    pod: Manifest
    process: "subprocess.Popen[bytes]"
    is_asked_to_go: bool = field(default=False)


class PodProcesses:
    """The processes of one sandbox; ``logs`` gets a file for each pod."""

    def __init__(self, sandbox: Sandbox, logs: Path) -> None:
        self._sandbox = sandbox
        self._logs = logs
        self._events: queue.Queue[Manifest] = queue.Queue()
        self._running: dict[str, Running] = {}
        self._is_over = threading.Event()
        self._watch = self._start_watch()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()

    def stop(self) -> None:
        """Kill all of them, and return when none is left."""
        self._is_over.set()
        self._keeper.join()
        self._watch.kill()
        self._reader.join()
        self._watch.communicate()
        for running in self._running.values():
            running.process.kill()
            running.process.wait()

    def log_tails(self, lines: int = 40) -> str:
        """Return what each has written last."""
        tails = (
            (log.stem, log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
            for log in sorted(self._logs.glob("*.log"))
        )
        return "\n".join(f"--- {name}\n" + "\n".join(tail) for name, tail in tails)

    # Following the pods

    def _start_watch(self) -> "subprocess.Popen[bytes]":
        kubectl = str(Resolver.of_environment(Silent()).resolve(Tool.KUBECTL).path)
        options = (f"--kubeconfig={self._sandbox.kubeconfig}", "--watch", "--output-watch-events", "--output=json")
        return subprocess.Popen(processes.owned([kubectl, "get", *PODS, *options]), stdout=subprocess.PIPE)

    def _read(self) -> None:
        assert self._watch.stdout is not None
        for line in self._watch.stdout:
            self._events.put(json.loads(line))

    def _keep(self) -> None:
        while not self._is_over.is_set():
            try:
                event = self._events.get(timeout=POLL_SECONDS)
            except queue.Empty:
                self._restart_what_ended()
            else:
                self._follow(event["type"], event["object"])

    def _follow(self, kind: str, pod: Manifest) -> None:
        uid = pod["metadata"]["uid"]
        running = self._running.get(uid)
        if running is None:
            if kind != "DELETED" and pod.get("status", {}).get("phase") == "Running":
                self._running[uid] = Running(pod=pod, process=self._start(pod))
        elif kind == "DELETED":
            self._end(self._running.pop(uid))
        elif pod["metadata"].get("deletionGracePeriodSeconds"):
            running.is_asked_to_go = True

    def _end(self, running: Running) -> None:
        running.process.send_signal(signal.SIGTERM if running.is_asked_to_go else signal.SIGKILL)
        try:
            running.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            running.process.kill()
            running.process.wait()

    def _restart_what_ended(self) -> None:
        for running in self._running.values():
            if running.process.poll() is not None:
                running.process = self._start(running.pod)

    # Becoming a pod

    def _start(self, pod: Manifest) -> "subprocess.Popen[bytes]":
        name = pod["metadata"]["name"]
        [container] = pod["spec"]["containers"]
        # Not bound to the pod: kwok deletes that before its process has ended, which then could give nothing back.
        kubeconfig = self._sandbox.kubeconfig_for_service_account(
            pod["metadata"]["namespace"], pod["spec"]["serviceAccountName"]
        )
        arguments = [*container["args"], *ON_ONE_MACHINE, f"--kubeconfig={kubeconfig}"]
        environment = processes.environment(Mark(self._logs, "operator")) | environment_of(container, pod)
        with (self._logs / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                processes.owned([sys.executable, "-m", "lockstep", *arguments]),
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )


def environment_of(container: Mapping[str, Any], pod: Manifest) -> dict[str, str]:
    """Return the variables of a container, those that name a field of its pod's metadata too."""
    return {one["name"]: one["value"] if "value" in one else _field(one, pod) for one in container.get("env", [])}


def _field(variable: Mapping[str, Any], pod: Manifest) -> str:
    room, _, name = variable["valueFrom"]["fieldRef"]["fieldPath"].partition(".")
    return str(pod[room][name])


@contextmanager
def pod_processes(sandbox: Sandbox, logs: Path) -> Iterator[PodProcesses]:
    """Have the operator's pods of a sandbox run, and leave no process behind."""
    logs.mkdir(parents=True, exist_ok=True)
    kept = PodProcesses(sandbox, logs)
    try:
        yield kept
    finally:
        kept.stop()
