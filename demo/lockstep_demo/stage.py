"""Sets up the demo: a control plane with the CRDs, twelve nodes and their bids, and the operator."""

import datetime as dt
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from lockstep_demo.bids import bid_manifests, offers
from lockstep_demo.installing import install
from lockstep_demo.interrupts import ignore_interrupts
from lockstep_demo.operator_process import OperatorProcess, running
from lockstep_demo.play import Play
from lockstep_demo.screen import Screen
from lockstep_demo.script import put_foreign_pods
from sandbox.component import Component
from sandbox.control_plane import Options, Sandbox, start
from sandbox.progress import OnConsole

NODES = 12


@contextmanager
def stage(screen: Screen) -> Iterator[Play]:
    """Set everything up, and remove it after the block. No process, port or folder is left."""
    progress = OnConsole(screen.console)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="lockstep-demo-")))
        sandbox = stack.enter_context(start(_options(folder), progress))
        # If this call downloads kubectl, it shows a clock. The next step has its own clock, so the call is not in it.
        sandbox.kubectl("version", "--client")
        with progress.step("Installing the kinds and the operator's rights"):
            install(sandbox)
            put_foreign_pods(sandbox)
        with progress.step("Starting the operator"):
            operator = stack.enter_context(running(_operator(sandbox, folder / "operator")))
        # The stack makes these calls in reverse order.
        stack.callback(screen.say, "\nCleaning up ...")
        stack.callback(ignore_interrupts)
        now = dt.datetime.now(dt.UTC)
        bids = bid_manifests(now)
        sandbox.apply(bids)
        yield Play(sandbox=sandbox, operator=operator, screen=screen, offers=offers(bids), began=now.timestamp())


def _options(folder: Path) -> Options:
    return Options(name="demo", addons=frozenset({Component.KWOK}), nodes=NODES, state=folder)


def _operator(sandbox: Sandbox, folder: Path) -> OperatorProcess:
    kubeconfig = sandbox.kubeconfig_for_service_account("lockstep-system", "lockstep")
    return OperatorProcess(kubeconfig, folder / "operator.log")
