"""The training operator beside a control plane, with the one kind of its own that tests have, and with PodGroups."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from e2e.controllers.controller_process import controller_process
from e2e.controllers.kinds import install_kinds, install_pod_groups
from e2e.controllers.module_folder import module_folder
from e2e.controllers.own_certificates import OwnCertificates
from sandbox import Sandbox
from sandbox.binaries import Tool
from sandbox.ports import LOOPBACK, KeptPort

KIND = Path("manifests/base/crds/kubeflow.org_pytorchjobs.yaml")
POD_GROUPS = ("--gang-scheduler-name=lockstep",)
CERTIFICATES = OwnCertificates(
    namespace="kubeflow",
    secret="training-operator-webhook-cert",
    webhooks="validator.training-operator.kubeflow.org",
    # It has no option for the folder.
    folder=Path("/tmp/k8s-webhook-server/serving-certs"),  # noqa: S108
)


@contextmanager
def training_operator(sandbox: Sandbox, folder: Path, *options: str) -> Iterator[None]:
    """Install PyTorchJobs and PodGroups, and run their operator; its certificates have to be mounted."""
    health, webhooks = KeptPort(), KeptPort()
    install_kinds(sandbox, module_folder(Tool.TRAINING_OPERATOR) / KIND)
    install_pod_groups(sandbox, Tool.TRAINING_OPERATOR)
    command = [
        sandbox.program(Tool.TRAINING_OPERATOR),
        "--enable-scheme=pytorchjob",
        "--metrics-bind-address=0",
        f"--health-probe-bind-address={LOOPBACK}:{health.number}",
        f"--webhook-server-port={webhooks.number}",
        *options,
    ]
    with controller_process(sandbox, command, log=folder / "log", ready=f"{health.number}/readyz"):
        yield
