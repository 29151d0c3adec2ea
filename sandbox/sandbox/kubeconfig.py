"""Writes kubeconfig files that are complete: clients need no other file of the sandbox's folder."""

import base64
from collections.abc import Mapping
from pathlib import Path

import yaml

from sandbox.pki import KeyPair


def write_for_certificate(path: Path, *, server: str, ca_file: Path, identity: KeyPair) -> Path:
    """Write a kubeconfig whose user has a client certificate. Returns ``path``."""
    user = {
        "client-certificate-data": _encoded(identity.certificate),
        "client-key-data": _encoded(identity.key),
    }
    return _write(path, server=server, ca_file=ca_file, user=user)


def write_for_token(path: Path, *, server: str, ca_file: Path, token: str) -> Path:
    """Write a kubeconfig whose user has a bearer token. Returns ``path``."""
    return _write(path, server=server, ca_file=ca_file, user={"token": token})


def _write(path: Path, *, server: str, ca_file: Path, user: Mapping[str, str]) -> Path:
    cluster = {"server": server, "certificate-authority-data": _encoded(ca_file)}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "sandbox", "cluster": cluster}],
        "users": [{"name": "sandbox", "user": dict(user)}],
        "contexts": [{"name": "sandbox", "context": {"cluster": "sandbox", "user": "sandbox"}}],
        "current-context": "sandbox",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return path


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode("ascii")
