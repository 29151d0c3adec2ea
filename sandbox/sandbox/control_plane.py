"""A control plane: starts it, sends requests, kills and restarts its components, and stops it."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from sandbox import kubeconfig, processes
from sandbox.api import Client
from sandbox.audit import AuditLog, audit_folder
from sandbox.binaries import Resolver, Tool
from sandbox.client_programs import helm_environment, run
from sandbox.component import ADDONS, CORE, Component
from sandbox.errors import ApiError, HelmError, KubectlError, SandboxError
from sandbox.folder import Folder, Record, folder_of, state_folder
from sandbox.invocation import typed
from sandbox.locks import locked
from sandbox.nodes import Node, create_nodes, generic_nodes
from sandbox.ports import LOOPBACK
from sandbox.processes import Lifetime, Mark
from sandbox.progress import Progress, Silent
from sandbox.site import Site, prepare_site, write_kubeconfigs
from sandbox.starting import Starter
from sandbox.waiting import wait_until

# While clients are connected, the API server ends slowly. Nothing is lost if it is killed after this time.
STOP_PATIENCE_SECONDS = 3.0
TOKEN_SECONDS = 24 * 60 * 60
NAMESPACE_SECONDS = 90.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The kind of control plane to start.

    With the ``lifetime`` OWNED, the default, the control plane is killed when the thread that has started it ends. So
    that thread must live as long as the sandbox is used.

    ``flags`` of a component replace the sandbox's own flags of the same names. ``audit`` is a folder for the audit log,
    which stays after the end. ``kubernetes`` is a release such as ``1.35``; if it is empty, the environment decides.
    """

    name: str = "default"
    addons: frozenset[Component] = frozenset()
    nodes: int = 0
    state: Path = field(default_factory=state_folder)
    lifetime: Lifetime = Lifetime.OWNED
    flags: Mapping[Component, tuple[str, ...]] = field(default_factory=dict)
    audit: Path | None = field(default_factory=audit_folder)
    kubernetes: str = ""


def start(options: Options, progress: Progress | None = None) -> "Sandbox":
    """Start a control plane, and return when it answers and its nodes exist.

    The first start on a machine downloads or builds the programs, which takes minutes. Raises SandboxError if a
    sandbox of this name runs already; that sandbox goes on. Also raises SandboxError if the start fails. Then no
    process of the control plane is left.
    """
    if unknown := options.addons - ADDONS:
        raise SandboxError(f"{', '.join(sorted(unknown))} cannot be added: every sandbox has it.")
    folder = folder_of(options.name, options.state)
    shown = progress or Silent()
    with locked(folder.lock, shown.step(f"Waiting for another process that is starting {folder.name}")):
        if processes.running(folder.root):
            stopping = typed("down", "--name", folder.name)
            raise SandboxError(f"The sandbox {folder.name} is running already; `{stopping}` stops it.")
        resolver = Resolver.of_environment(shown, release=options.kubernetes)
        programs = {part: resolver.resolve(part.tool).path for part in Component if part in CORE | options.addons}
        with shown.step(f"Starting the sandbox {folder.name}"):
            return _start_anew(folder, options, resolver, programs)


def remove(folder: Folder) -> None:
    """Stop all processes of the sandbox in ``folder``, even if its starter has crashed, and delete the folder.

    The API server is stopped before etcd, because without etcd the API server hangs and keeps its port.
    """
    has_storage = Component.ETCD in processes.running(folder.root).values()
    patience_seconds = STOP_PATIENCE_SECONDS if has_storage else 0.0
    for component in reversed(Component):
        processes.end(Mark(folder.root, component), patience_seconds=patience_seconds)
    shutil.rmtree(folder.root, ignore_errors=True)


class Sandbox:
    """A control plane that this process has started. As a context manager, it stops at the end of the block."""

    def __init__(
        self, site: Site, *, client: Client, starter: Starter, resolver: Resolver, audit_log: AuditLog | None
    ) -> None:
        self._site = site
        self._client = client
        self._starter = starter
        self._resolver = resolver
        self._audit_log = audit_log
        self._client_programs: dict[Tool, str] = {}

    def __enter__(self) -> Self:
        """Return the sandbox."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the sandbox."""
        self.stop()

    @property
    def name(self) -> str:
        """The name of the sandbox for `python -m sandbox`."""
        return self._site.folder.name

    @property
    def server(self) -> str:
        """The API server's URL."""
        return f"https://{LOOPBACK}:{self._starter.port(Component.API_SERVER)}"

    @property
    def ca_file(self) -> Path:
        """The certificate with which clients verify the API server."""
        return self._site.ca_file

    @property
    def kubeconfig(self) -> Path:
        """A kubeconfig with all rights."""
        return self._site.folder.kubeconfig

    def log_file(self, component: Component) -> Path:
        """Return the file with the output of a component."""
        return self._site.folder.log(component)

    def audit_events(self) -> list[dict[str, Any]]:
        """Return all requests of service accounts that the API server has recorded. This also works after the end.

        Requests of service accounts in kube-system are left out. Raises SandboxError if there is no audit log.
        """
        if self._audit_log is None:
            raise SandboxError(f"The sandbox {self.name} has no audit log; start it with one.")
        return self._audit_log.events()

    def stop(self) -> None:
        """Stop all processes, and delete the sandbox's folder. A second call does nothing."""
        self._client.close()
        remove(self._site.folder)
        self._starter.reap()

    def is_running(self, component: Component) -> bool:
        """Return whether a process of the component exists."""
        return component in processes.running(self._site.folder.root).values()

    def kill(self, component: Component) -> None:
        """Kill a component at once, like a crash. It does not run again before a call of ``restart``."""
        processes.kill(Mark(self._site.folder.root, component))
        self._starter.reap()

    def restart(self, component: Component) -> None:
        """End a component if it runs, start it again on the same port, and return when it is ready."""
        processes.end(Mark(self._site.folder.root, component), patience_seconds=STOP_PATIENCE_SECONDS)
        self._starter.restart(component)

    def back_up(self, target: Path) -> None:
        """Copy the data of etcd to a new folder. The API server and etcd are stopped meanwhile."""
        with self._storage_at_rest():
            shutil.copytree(self._site.folder.etcd_data, target)

    def set_back(self, backup: Path) -> None:
        """Restore a backup. All objects, and their versions, are then as they were at the time of the backup."""
        with self._storage_at_rest():
            shutil.rmtree(self._site.folder.etcd_data)
            shutil.copytree(backup, self._site.folder.etcd_data)

    @contextmanager
    def _storage_at_rest(self) -> Iterator[None]:
        """Stop the API server, then etcd. Both are started again after the block."""
        self.kill(Component.API_SERVER)
        # etcd ends in an orderly way, so that its last writes are on disk.
        processes.end(Mark(self._site.folder.root, Component.ETCD), patience_seconds=STOP_PATIENCE_SECONDS)
        self._starter.reap()
        yield
        self._starter.restart(Component.ETCD)
        self._starter.restart(Component.API_SERVER)

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send one request with all rights, and return the object in the answer. Raises ApiError for a refusal.

        The body of a PATCH is a merge patch.
        """
        return self._client.request(self.server, method, path, body)

    def create_nodes(self, wanted: Iterable[Node]) -> None:
        """Create nodes that are Ready at once. They have exactly the given labels, taints and resources."""
        create_nodes(wanted, self._client, self.server)

    def create_namespace(self, name: str) -> None:
        """Create a namespace, and return when the API server admits pods in it."""
        self.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        self.wait_for_default_service_account(name)

    def wait_for_default_service_account(self, namespace: str) -> None:
        """Wait until the API server admits pods without a service account to ``namespace``."""
        if Component.CONTROLLER_MANAGER not in self._site.addons:
            return
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"
        wait_until(lambda: self._exists(path), seconds=NAMESPACE_SECONDS, what=f"a service account in {namespace}")

    def kubeconfig_for_service_account(self, namespace: str, name: str) -> Path:
        """Return a kubeconfig with exactly the rights of an existing service account. It is valid for 24 hours."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        issued = self.request("POST", path, {"spec": {"expirationSeconds": TOKEN_SECONDS}})
        target = self._site.folder.kubeconfig_of(f"{namespace}.{name}")
        token = issued["status"]["token"]
        return kubeconfig.write_for_token(target, server=self.server, ca_file=self.ca_file, token=token)

    def kubectl(self, *arguments: str, stdin: str = "") -> str:
        """Run kubectl with all rights, and return its output. Raises KubectlError with kubectl's message."""
        folder = self._site.folder
        options = (f"--kubeconfig={folder.kubeconfig}", f"--cache-dir={folder.kubectl_cache}")
        done = run([self.program(Tool.KUBECTL), *options, *arguments], stdin=stdin)
        if done.returncode != 0:
            raise KubectlError(done.stderr.strip())
        return done.stdout

    def helm(self, *arguments: str, stdin: str = "") -> str:
        """Run Helm with all rights, and return its output. Raises HelmError with Helm's message."""
        done = run([self.program(Tool.HELM), *arguments], stdin=stdin, environ=helm_environment(self._site.folder))
        if done.returncode != 0:
            raise HelmError(done.stderr.strip())
        return done.stdout

    def apply(self, source: Path | Iterable[Mapping[str, Any]]) -> str:
        """Apply a file, a folder of files, or documents with `kubectl apply`. Raises KubectlError after a refusal."""
        if isinstance(source, Path):
            return self.kubectl("apply", "-f", str(source))
        return self.kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all(source))

    def program(self, tool: Tool) -> str:
        """Return the path of a client program. Only the first call searches for the program."""
        if tool not in self._client_programs:
            self._client_programs[tool] = str(self._resolver.resolve(tool).path)
        return self._client_programs[tool]

    def _exists(self, path: str) -> bool:
        try:
            self.request("GET", path)
        except ApiError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return False
            raise
        return True


def _start_anew(folder: Folder, options: Options, resolver: Resolver, programs: Mapping[Component, Path]) -> Sandbox:
    remove(folder)
    site = prepare_site(folder, options.addons)
    client = Client(ca_file=site.ca_file, identity=site.admin)
    audit_log = AuditLog.begun_in(options.audit, name=folder.name) if options.audit else None
    flags = _with_audit(options.flags, audit_log) if audit_log else options.flags
    starter = Starter(site, programs=programs, client=client, lifetime=options.lifetime, flags=flags)
    sandbox = Sandbox(site, client=client, starter=starter, resolver=resolver, audit_log=audit_log)
    try:
        _bring_up(sandbox, site, starter)
        sandbox.create_nodes(generic_nodes(options.nodes))
        folder.write_record(Record(server=sandbox.server, components=tuple(programs)))
    except BaseException:
        sandbox.stop()
        raise
    return sandbox


def _with_audit(flags: Mapping[Component, tuple[str, ...]], log: AuditLog) -> dict[Component, tuple[str, ...]]:
    return {**flags, Component.API_SERVER: (*log.flags, *flags.get(Component.API_SERVER, ()))}


def _bring_up(sandbox: Sandbox, site: Site, starter: Starter) -> None:
    starter.start([Component.ETCD])
    starter.start([Component.API_SERVER])
    write_kubeconfigs(site, sandbox.server)
    starter.start(sorted(site.addons))
    sandbox.wait_for_default_service_account("default")
