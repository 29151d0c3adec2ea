"""What the demo plays on: a control plane of its own with the kinds, twelve nodes and their bids, and the operator."""

import datetime as dt
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory

from sandbox.component import Component
from sandbox.control_plane import Options, Sandbox, start
from sandbox.demo.bids import bid_manifests, offers
from sandbox.demo.interrupts import ignore_interrupts
from sandbox.demo.operator_process import operating
from sandbox.demo.places import INSTALLED
from sandbox.demo.play import Play
from sandbox.demo.screen import Screen
from sandbox.demo.script import crowd
from sandbox.demo.sight import GANGS_PATH
from sandbox.errors import ApiError
from sandbox.progress import OnConsole
from sandbox.waiting import wait_until

NODES = 12
KINDS_SECONDS = 30.0
# A kind that has just been installed is unknown at first, and then its storage is prepared.
NOT_SERVED_YET = (HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS)
BIDS_PATH = "/apis/lockstep.dev/v1alpha1/nodebids"


@contextmanager
def stage(screen: Screen) -> Iterator[Play]:
    """Set everything up, and take it down after the block: no process, port or folder is left."""
    progress = OnConsole(screen.console)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="lockstep-demo-")))
        sandbox = stack.enter_context(start(_options(folder), progress))
        # First of all: the clock of its download would move in that of the next step.
        sandbox.kubectl("version", "--client")
        with progress.step("Installing the kinds and the operator's rights"):
            _install(sandbox)
        with progress.step("Starting the operator"):
            operator = stack.enter_context(operating(sandbox, folder / "operator"))
        # What is pushed last is done first.
        stack.callback(screen.say, "\nCleaning up ...")
        stack.callback(ignore_interrupts)
        now = dt.datetime.now(dt.UTC)
        bids = bid_manifests(now)
        sandbox.apply(bids)
        yield Play(sandbox=sandbox, operator=operator, screen=screen, offers=offers(bids), began=now.timestamp())


def _options(folder: Path) -> Options:
    return Options(name="demo", addons=frozenset({Component.KWOK}), nodes=NODES, state=folder)


def _install(sandbox: Sandbox) -> None:
    sandbox.kubectl("apply", *(f"--filename={path}" for path in INSTALLED))
    wait_until(lambda: _knows_our_kinds(sandbox), seconds=KINDS_SECONDS, what="the API server to serve the kinds")
    crowd(sandbox)


def _knows_our_kinds(sandbox: Sandbox) -> bool:
    try:
        for path in (GANGS_PATH, BIDS_PATH):
            sandbox.request("GET", path)
    except ApiError as error:
        if error.status in NOT_SERVED_YET:
            return False
        raise
    return True
