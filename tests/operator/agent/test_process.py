"""The agent's loop: it samples once it is known whose pods run on the node, and nothing that fails ends it."""

import logging
import os
from functools import partial
from itertools import pairwise
from threading import Event

import pytest

from builders.node_files import NodeFiles
from lockstep.agent.bid.clock import Clock
from lockstep.agent.bid.connection import RawAnswer
from lockstep.agent.bid.offering import Differences
from lockstep.agent.bid.publishing import BidTerms, Publisher
from lockstep.agent.history.history_file import load
from lockstep.agent.history.hours import clock_hour
from lockstep.agent.meter import Meter
from lockstep.agent.process import every, sample_and_publish
from lockstep.api.nodebid.offer import PlannedOnNode
from lockstep.api.quantities import epoch_seconds

GANG = "0a1b2c3d-0000-4000-8000-00000000000a"
EPOCH = 1_800_000_000.0
YEAR = 365 * 86_400.0
TERMS = BidTerms(lifetime_seconds=180.0, differences=Differences(relative=0.1, absolute=0.05))


class Node:
    """A node of four processors with a member on it, and what its agent wrote."""

    def __init__(self, folder, name="n1"):
        self.name = name
        self.files = NodeFiles(folder / "node", cores=4)
        self.files.add(GANG)
        self.history = folder / "history.json"
        self.now = self.own_step = 0.0
        self.specs, self.reports, self.written = [], [], []
        self.clock = Clock(steady=lambda: self.now, own=lambda: EPOCH + self.now + self.own_step)
        self.restart()

    def restart(self):
        """Start a new agent on the node."""
        self.publisher = Publisher(self.name, self._apply, self.clock, TERMS)
        self.meter = Meter(self.history, root=self.files.root, proc=self.files.proc)

    def run(self, seconds, planned, *, host=0.0, gang=0.0):
        for _ in range(round(seconds / 10)):
            self.now += 10
            self.files.spend({GANG: 10 * gang}, host=10 * host)
            sample_and_publish(self.meter, planned, self.publisher, self.clock)

    def _apply(self, path, manifest):
        if path.endswith("/status"):
            self.reports.append(manifest)
        else:
            self.specs.append(manifest)
            self.written.append(EPOCH + self.now)
        return RawAnswer(200, {"status": {"measured": {"message": "Idle."}}}, wall=EPOCH + self.now)


@pytest.fixture
def node(tmp_path):
    return Node(tmp_path)


def test_nothing_is_measured_until_it_is_known_whose_pods_are_members(node):
    node.run(300, None, gang=2.0)

    assert {(*manifest["spec"],) for manifest in node.specs} == {("expiresAt",)}


def test_member_is_no_local_work_once_it_is_known(node):
    node.run(60, None, gang=2.0)

    node.run(300, PlannedOnNode(frozenset({GANG}), 0.0), gang=2.0)

    assert node.specs[-1]["spec"]["dutyCycle"] == "0m"
    assert node.reports[-1]["status"]["measured"]["source"] == "cgroup v2"


def test_local_work_is_bid_within_two_minutes(node):
    node.run(120, PlannedOnNode(frozenset({GANG}), 0.0), gang=2.0)

    node.run(120, PlannedOnNode(frozenset({GANG}), 0.0), gang=2.0, host=2.0)

    assert int(node.specs[-1]["spec"]["dutyCycle"].removesuffix("m")) > 100


def test_typing_is_seen_on_a_node_whose_clock_is_ahead_of_the_servers(node):
    node.own_step = 1000.0
    node.clock.hear(EPOCH)
    terminal = node.files.root / "dev" / "pts" / "0"
    terminal.parent.mkdir(parents=True)
    terminal.touch()
    os.utime(terminal, (EPOCH + 1000, EPOCH + 1000))

    node.run(120, PlannedOnNode(frozenset(), 0.0))

    assert node.specs[-1]["spec"]["ownerPresent"] is True


@pytest.mark.parametrize("interruption", ["restart", "sleep"])
def test_bid_goes_on_saying_that_the_owner_is_there(tmp_path, interruption):
    # An agent of this node writes its first bid as soon as it can.
    node, planned = Node(tmp_path, "n3"), PlannedOnNode(frozenset({GANG}), 0.0)
    node.files.typed_last(EPOCH)
    node.run(600, planned, host=2.0)

    if interruption == "restart":
        node.restart()
    else:
        node.now += 1200
    node.files.typed_last(EPOCH + node.now)
    before = len(node.specs)
    node.run(300, planned, host=2.0)

    later = [manifest["spec"] for manifest in node.specs[before:]]
    assert {(spec.get("ownerPresent"), "dutyCycle" in spec) for spec in later} == {(True, True)}


def test_node_whose_counters_can_not_be_read_has_a_bid(node):
    (node.files.proc / "stat").unlink()

    node.run(300, PlannedOnNode(frozenset(), 0.0))

    assert {(*manifest["spec"],) for manifest in node.specs} == {("expiresAt",)}


@pytest.mark.parametrize("steps", [(YEAR, 0.0), (-YEAR, 0.0), (YEAR, -YEAR)])
def test_clock_of_the_node_that_is_set_while_the_agent_runs_changes_nothing(node, steps):
    node.files.typed_last(EPOCH - 3600)
    node.run(3600, PlannedOnNode(frozenset(), 0.0), host=2.0)

    for step in steps:
        node.own_step = step
        node.run(3600, PlannedOnNode(frozenset(), 0.0), host=2.0)

    assert {manifest["spec"].get("ownerPresent") for manifest in node.specs[1:]} == {False}
    lives = [
        epoch_seconds(manifest["spec"]["expiresAt"]) - at for manifest, at in zip(node.specs, node.written, strict=True)
    ]
    assert lives == pytest.approx([180.0] * len(lives), abs=1)
    assert max(later - at for at, later in pairwise(node.written)) < 180
    kept = load(node.history, today=clock_hour(EPOCH).day, measured_on="")
    assert {*kept.history.days, kept.history.running.day} == {clock_hour(EPOCH).day}


def test_history_that_is_dropped_is_logged(node, tmp_path, caplog):
    node.history.write_bytes(b"\x00{")
    node.meter = Meter(node.history, root=node.files.root, proc=node.files.proc)

    node.run(20, PlannedOnNode(frozenset(), 0.0))

    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_measurement_that_fails_costs_one_period(caplog):
    caplog.set_level(logging.ERROR)
    measurements = []

    def work():
        measurements.append(len(measurements))
        if len(measurements) == 3:
            stop.set()
        raise OSError("odd")

    stop = Event()
    every(0.0, stop, partial(work))

    assert (measurements, caplog.messages) == ([0, 1, 2], ["one measurement of the node failed"] * 3)
