"""Runs kubectl and Helm so that they change nothing outside of their sandbox."""

import os
import subprocess
from collections.abc import Mapping, Sequence

from sandbox.folder import Folder


def run(
    command: Sequence[str], *, stdin: str, environ: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a program until it ends, and return its exit code and its output. ``environ`` is added to its environment."""
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, check=False, env=os.environ | (environ or {})
    )


def helm_environment(folder: Folder) -> Mapping[str, str]:
    """Return the environment variables for Helm. Helm then uses the sandbox, with its own caches and settings."""
    homes = {f"HELM_{kind}_HOME": str(folder.helm_home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA")}
    return homes | {"KUBECONFIG": str(folder.kubeconfig), "KUBECACHEDIR": str(folder.kubectl_cache)}
