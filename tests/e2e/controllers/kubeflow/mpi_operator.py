"""The MPI operator beside a control plane, with the kind that it publishes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from e2e.controllers.controller_process import controller_process
from e2e.controllers.kinds import install_kinds
from e2e.controllers.module_folder import module_folder
from sandbox import Sandbox
from sandbox.binaries import Tool

KIND = Path("manifests/base/kubeflow.org_mpijobs.yaml")
# The operator has no option for it.
HEALTH_PORT = 8080
FAST = ("--kube-api-qps=100", "--kube-api-burst=200", "--controller-queue-rate-limit=100")


@contextmanager
def mpi_operator(sandbox: Sandbox, folder: Path, *options: str) -> Iterator[None]:
    """Install MPIJobs, and run their operator; ``folder`` is an empty one for it."""
    install_kinds(sandbox, module_folder(Tool.MPI_OPERATOR) / KIND)
    command = [sandbox.program(Tool.MPI_OPERATOR), "--lock-namespace=default", *FAST, *options]
    with controller_process(sandbox, command, log=folder / "log", ready=f"{HEALTH_PORT}/healthz"):
        yield
