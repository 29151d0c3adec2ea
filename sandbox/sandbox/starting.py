"""Starts components on ports that no other process uses."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox import processes
from sandbox.api import Client
from sandbox.component import Component
from sandbox.errors import SandboxError
from sandbox.launching import Ports, launch
from sandbox.ports import KeptPort
from sandbox.processes import Lifetime, Mark
from sandbox.site import Site

READY_SECONDS = 90.0
POLL_SECONDS = 0.03
PORT_ATTEMPTS = 5
PORT_TAKEN = "address already in use"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One start of a component.

    ``log_start`` is the place in the log at which the lines about this start begin.
    """

    pid: int
    ready_url: str
    log_start: int


class Starter:
    """Starts the components of one sandbox, and keeps their ports, so that a restarted component has the same ports."""

    def __init__(
        self,
        site: Site,
        *,
        programs: Mapping[Component, Path],
        client: Client,
        lifetime: Lifetime,
        flags: Mapping[Component, tuple[str, ...]],
    ) -> None:
        self._site = site
        self._programs = programs
        self._client = client
        self._lifetime = lifetime
        self._flags = flags
        self._ports: dict[Component, Ports] = {}
        self._kept: dict[Component, tuple[KeptPort, KeptPort]] = {}
        self._attempts: dict[Component, Attempt] = {}
        # Wait only for processes in this set: after a process has been waited for, its pid may belong to another
        # process.
        self._children: set[int] = set()

    def port(self, component: Component) -> int:
        """Return the port on which a component that was started serves its clients."""
        return self._ports[component].client

    def start(self, components: Iterable[Component]) -> None:
        """Start components concurrently, and return when all are ready. Raises SandboxError if one is never ready."""
        started = list(components)
        for component in started:
            self._launch_on_new_ports(component)
        for component in started:
            self._settle(component)

    def restart(self, component: Component) -> None:
        """Start an ended component on the same ports as before. Raises SandboxError if it does not get ready."""
        self.reap()
        self._launch(component)
        if not self._becomes_ready(component):
            raise self._failure(component)

    def reap(self) -> None:
        """Remove ended children from the process table."""
        for pid in list(self._children):
            self._has_ended(pid)

    def _settle(self, component: Component) -> None:
        for _ in range(PORT_ATTEMPTS):
            if self._becomes_ready(component):
                return
            if PORT_TAKEN not in self._output(component):
                break
            self._launch_on_new_ports(component)
        raise self._failure(component)

    def _launch_on_new_ports(self, component: Component) -> None:
        client, peer = KeptPort(), KeptPort()
        self._kept[component] = (client, peer)
        self._ports[component] = Ports(client=client.number, peer=peer.number)
        self._launch(component)

    def _launch(self, component: Component) -> None:
        call = launch(component, self._site, self._ports)
        log = self._site.folder.log(component)
        log_start = log.stat().st_size if log.exists() else 0
        pid = processes.start(
            [str(self._programs[component]), *overridden(call.flags, self._flags.get(component, ()))],
            mark=Mark(self._site.folder.root, component),
            log=log,
            lifetime=self._lifetime,
        )
        self._children.add(pid)
        self._attempts[component] = Attempt(pid=pid, ready_url=call.ready_url, log_start=log_start)

    def _becomes_ready(self, component: Component) -> bool:
        attempt = self._attempts[component]
        deadline = time.monotonic() + READY_SECONDS
        while not self._has_ended(attempt.pid):
            if self._client.answers_ok(attempt.ready_url):
                return True
            if time.monotonic() > deadline:
                raise SandboxError(f"{component} was not ready after {READY_SECONDS:g} seconds.")
            time.sleep(POLL_SECONDS)
        return False

    def _has_ended(self, pid: int) -> bool:
        if pid in self._children and processes.reap(pid):
            self._children.remove(pid)
        return pid not in self._children

    def _failure(self, component: Component) -> SandboxError:
        last_line = (self._output(component).strip().splitlines() or ["nothing"])[-1]
        return SandboxError(f"{component} ended while it was starting; its last line: {last_line}")

    def _output(self, component: Component) -> str:
        content = self._site.folder.log(component).read_bytes()
        return content[self._attempts[component].log_start :].decode(errors="replace")


def overridden(own: Iterable[str], given: Sequence[str]) -> list[str]:
    """Return the ``given`` flags, after our ``own`` flags of other names.

    Own flags of the same names are left out: if the value of a flag is a list, programs would use both values.
    """
    names = {flag.partition("=")[0] for flag in given}
    return [*(flag for flag in own if flag.partition("=")[0] not in names), *given]
