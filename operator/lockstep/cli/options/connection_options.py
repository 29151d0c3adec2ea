"""The options for the API server."""

from collections.abc import Callable
from typing import Any

import click

_KUBECONFIG = click.option(
    "--kubeconfig",
    metavar="FILE",
    help="Kubeconfig to use. Without it: the pod's own service account, else $KUBECONFIG, else ~/.kube/config.",
)
_CONTEXT = click.option("--context", metavar="NAME", help="Context of the kubeconfig. Without it: its current one.")


def connection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add these options to a command."""
    return _KUBECONFIG(_CONTEXT(command))
