"""Controllers that have webhooks, and are configured alike: JobSet, Kueue, LeaderWorkerSet and Kubeflow's Trainer."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from e2e.controllers.controller_process import controller_process
from e2e.controllers.kinds import install_kinds
from e2e.controllers.module_folder import module_folder
from e2e.controllers.webhooks import Webhooks
from sandbox import Sandbox
from sandbox.binaries import Tool
from sandbox.ports import LOOPBACK, KeptPort

CERTIFICATES = Path("k8s-webhook-server", "serving-certs")


class Layout(NamedTuple):
    """The configuration's API and its field for certificates, and where the module has its kinds and its webhooks.

    ``takes_folder``: the configuration may name the folder of certificates; else the folder is a temporary one.
    ``metrics`` is a second folder of certificates, without a name. ``own`` and ``options`` are of no other controller.
    """

    api_version: str
    certificates: str
    takes_folder: bool
    kinds: Path
    webhooks: Path
    metrics: Path | None = None
    own: Mapping[str, Any] = {}
    options: tuple[str, ...] = ()


# Runs a program that sees a folder of the machine as empty, but for the folder of certificates.
_WITH_CERTIFICATES = 'mount -t tmpfs own "$1" && mkdir -p "$2" && mount --bind "$3" "$2" && shift 3 && exec "$@"'


@contextmanager
def configured_controller(sandbox: Sandbox, tool: Tool, layout: Layout, folder: Path) -> Iterator[None]:
    """Install the kinds, run the controller, and have its webhooks called; ``folder`` is an empty one for it."""
    module, health, webhooks = module_folder(tool), KeptPort(), Webhooks(folder / CERTIFICATES)
    install_kinds(sandbox, module / layout.kinds)
    configuration = folder / "configuration.yaml"
    configuration.write_text(_configuration(layout, webhooks, health), encoding="utf-8")
    command = _command(layout, webhooks, [sandbox.program(tool), f"--config={configuration}", *layout.options])
    ready, own = f"{health.number}/readyz", {"TMPDIR": str(folder)}
    with (
        controller_process(sandbox, command, log=folder / "log", ready=ready, environment=own),
        webhooks.registered(sandbox, module / layout.webhooks, prefix=tool),
    ):
        yield


def _command(layout: Layout, webhooks: Webhooks, command: list[str]) -> list[str]:
    """The command, in mounts of its own if the controller searches for certificates where only administrators write."""
    if layout.metrics is None:
        return command
    hidden, folder = Path(*layout.metrics.parts[:2]), webhooks.folder
    mounts = [shutil.which("unshare") or "", "--mount", "--map-root-user", "sh", "-c", _WITH_CERTIFICATES, "sh"]
    return [*mounts, str(hidden), str(layout.metrics), str(folder), *command]


def _configuration(layout: Layout, webhooks: Webhooks, health: KeptPort) -> str:
    named = {"certDir": str(webhooks.folder)} if layout.takes_folder else {}
    return yaml.safe_dump(
        {
            "apiVersion": layout.api_version,
            "kind": "Configuration",
            "leaderElection": {"leaderElect": False},
            layout.certificates: {"enable": False},
            "metrics": {"bindAddress": "0"},
            "health": {"healthProbeBindAddress": f"{LOOPBACK}:{health.number}"},
            "webhook": {"host": LOOPBACK, "port": webhooks.port, **named},
            **layout.own,
        }
    )
