"""The webhooks of a controller that is a process of this machine: a port of the loopback stands for its Service."""

import base64
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

from eventually import eventually
from sandbox import Sandbox
from sandbox.pki import Authority
from sandbox.ports import LOOPBACK, KeptPort

Manifest = dict[str, Any]


class Webhooks:
    """A port for webhooks, and a folder with what a server there shows, as controllers expect it: tls.crt, tls.key."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._port = KeptPort()
        self._authority = Authority(folder)
        self._authority.issue_server("tls")

    @property
    def port(self) -> int:
        """Where the controller listens."""
        return self._port.number

    @contextmanager
    def registered(self, sandbox: Sandbox, kustomization: Path, *, prefix: str) -> Iterator[None]:
        """Have the API server call the webhooks that a folder describes, once they are served, and no longer."""
        eventually(self._are_served)
        described = yaml.safe_load_all(sandbox.kubectl("kustomize", str(kustomization)))
        configurations = [one for one in described if one["kind"].endswith("WebhookConfiguration")]
        registered = [self._on_loopback(one, prefix) for one in configurations]
        sandbox.apply(registered)
        try:
            yield
        finally:
            for one in registered:
                sandbox.kubectl("delete", one["kind"], one["metadata"]["name"])

    def _are_served(self) -> bool:
        with suppress(OSError), socket.create_connection((LOOPBACK, self.port), timeout=1):
            return True
        return False

    def _on_loopback(self, configuration: Manifest, prefix: str) -> Manifest:
        """The configuration with addresses of the loopback. Without the prefix, all controllers use one name."""
        name = f"{prefix}-{configuration['metadata']['name']}"
        return {**configuration, "metadata": {"name": name}, "webhooks": list(self._each(configuration["webhooks"]))}

    def _each(self, webhooks: Iterable[Mapping[str, Any]]) -> Iterable[Manifest]:
        bundle = base64.b64encode(self._authority.certificate.read_bytes()).decode()
        for webhook in webhooks:
            path = webhook["clientConfig"]["service"]["path"]
            url = f"https://{LOOPBACK}:{self.port}{path}"
            yield {**webhook, "clientConfig": {"url": url, "caBundle": bundle}}
