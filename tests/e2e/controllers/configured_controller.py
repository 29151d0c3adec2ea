"""Controllers that are configured alike, by a file of the same shape, and have webhooks: JobSet and LeaderWorkerSet."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import yaml

from e2e.controllers.controller_process import controller_process
from e2e.controllers.kinds import install_kinds
from e2e.controllers.module_folder import module_folder
from e2e.controllers.webhooks import Webhooks
from sandbox import Sandbox
from sandbox.binaries import Tool
from sandbox.ports import LOOPBACK, KeptPort


class Layout(NamedTuple):
    """The version of the configuration's API, and where the module has its kinds and its webhooks."""

    api_version: str
    kinds: Path
    webhooks: Path


@contextmanager
def configured_controller(sandbox: Sandbox, tool: Tool, layout: Layout, folder: Path) -> Iterator[None]:
    """Install the kinds, run the controller, and have its webhooks called; ``folder`` is an empty one for it."""
    module, health, webhooks = module_folder(tool), KeptPort(), Webhooks(folder / "certificates")
    install_kinds(sandbox, module / layout.kinds)
    configuration = folder / "configuration.yaml"
    configuration.write_text(_configuration(layout, webhooks, health), encoding="utf-8")
    command = [sandbox.program(tool), f"--config={configuration}"]
    with controller_process(sandbox, command, log=folder / "log", ready=f"{health.number}/readyz"):
        webhooks.register(sandbox, module / layout.webhooks, prefix=tool)
        yield


def _configuration(layout: Layout, webhooks: Webhooks, health: KeptPort) -> str:
    return yaml.safe_dump(
        {
            "apiVersion": layout.api_version,
            "kind": "Configuration",
            "leaderElection": {"leaderElect": False},
            "internalCertManagement": {"enable": False},
            "metrics": {"bindAddress": "0"},
            "health": {"healthProbeBindAddress": f"{LOOPBACK}:{health.number}"},
            "webhook": {"host": LOOPBACK, "port": webhooks.port, "certDir": str(webhooks.folder)},
        }
    )
