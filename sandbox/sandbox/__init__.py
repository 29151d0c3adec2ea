"""A real Kubernetes control plane on this machine, on the loopback, in one call or one command.

``with start(Options(addons=frozenset({Component.KWOK}), nodes=12)) as sandbox: ...`` in Python;
``python -m sandbox up --nodes 12 --with kwok`` in a shell.
"""

from sandbox.component import Component
from sandbox.control_plane import Options, Sandbox, start
from sandbox.errors import ApiError, HelmError, KubectlError, SandboxError
from sandbox.nodes import Node, Taint, TaintEffect, generic_nodes
from sandbox.processes import Lifetime

__all__ = [
    "ApiError",
    "Component",
    "HelmError",
    "KubectlError",
    "Lifetime",
    "Node",
    "Options",
    "Sandbox",
    "SandboxError",
    "Taint",
    "TaintEffect",
    "generic_nodes",
    "start",
]
