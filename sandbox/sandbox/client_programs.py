"""kubectl and Helm, run so that they touch nothing but their sandbox."""

import os
import subprocess
from collections.abc import Mapping, Sequence

from sandbox.folder import Folder


def run(
    command: Sequence[str], *, stdin: str, environ: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a program to its end, with ``environ`` added to the environment, and return what it wrote."""
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, check=False, env=os.environ | (environ or {})
    )


def helm_environment(folder: Folder) -> Mapping[str, str]:
    """Return the variables by which Helm talks to the sandbox, with caches and settings of its own."""
    homes = {f"HELM_{kind}_HOME": str(folder.helm_home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA")}
    return homes | {"KUBECONFIG": str(folder.kubeconfig), "KUBECACHEDIR": str(folder.kubectl_cache)}
