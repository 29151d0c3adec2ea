"""The webhooks of a controller that is a process of this machine: a port of the loopback stands for its Service."""

import base64
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

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

    def register(self, sandbox: Sandbox, kustomization: Path) -> None:
        """Have the API server call the webhooks that a folder describes."""
        described = yaml.safe_load_all(sandbox.kubectl("kustomize", str(kustomization)))
        sandbox.apply([self._on_loopback(one) for one in described if one["kind"].endswith("WebhookConfiguration")])

    def _on_loopback(self, configuration: Manifest) -> Manifest:
        return {**configuration, "webhooks": list(self._each(configuration["webhooks"]))}

    def _each(self, webhooks: Iterable[Mapping[str, Any]]) -> Iterable[Manifest]:
        bundle = base64.b64encode(self._authority.certificate.read_bytes()).decode()
        for webhook in webhooks:
            path = webhook["clientConfig"]["service"]["path"]
            url = f"https://{LOOPBACK}:{self.port}{path}"
            yield {**webhook, "clientConfig": {"url": url, "caBundle": bundle}}
