"""The options for the connection to the API server."""

from collections.abc import Callable
from typing import Any

import click

_KUBECONFIG = click.option(
    "--kubeconfig",
    metavar="FILE",
    help="Kubeconfig file. Default: the pod's service account, else $KUBECONFIG, else ~/.kube/config.",
)
_CONTEXT = click.option("--context", metavar="NAME", help="Context of the kubeconfig. Default: its current context.")


def connection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the connection to a command."""
    return _KUBECONFIG(_CONTEXT(command))
