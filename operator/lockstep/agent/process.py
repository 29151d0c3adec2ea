"""The agent's loop: samples the node, then writes its bid if that is due."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event

from lockstep.agent.bid.clock import Clock
from lockstep.agent.bid.connection import Server, applied, watching
from lockstep.agent.bid.own_bid import OwnBid
from lockstep.agent.bid.publishing import BidTerms, Publisher
from lockstep.agent.measuring.measured import Measured
from lockstep.agent.meter import Meter
from lockstep.api.nodebid.offer import PlannedOnNode

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """The node to measure, the sampling period, and the places of the node's files; ``proc`` is the host's /proc."""

    node: str
    period_seconds: float
    root: Path
    proc: Path
    history: Path


def run_agent(assignment: Assignment, server: Server, terms: BidTerms, stop: Event) -> None:
    """Measure the node and write its bid until ``stop`` is set. The bid then expires by itself."""
    clock = Clock()
    bid = OwnBid(assignment.node, partial(watching, server), clock, stop)
    publisher = Publisher(assignment.node, partial(applied, server), clock, terms)
    meter = Meter(assignment.history, root=assignment.root, proc=assignment.proc)
    log.info("measuring node %s every %g s", assignment.node, assignment.period_seconds)
    bid.start()
    every(assignment.period_seconds, stop, lambda: sample_and_publish(meter, bid.planned, publisher, clock))


def sample_and_publish(meter: Meter, planned: PlannedOnNode | None, publisher: Publisher, clock: Clock) -> None:
    """Take one sample, if the members of gangs on the node are known, and write the bid if that is due."""
    publisher.update(None if planned is None else _sample(meter, planned, clock))
    for sentence in meter.take_messages():
        log.warning("%s", sentence)


def every(period_seconds: float, stop: Event, work: Callable[[], None]) -> None:
    """Do the work once a period until ``stop`` is set. An error is logged, and ends only the work of that period."""
    while not stop.is_set():
        try:
            work()
        except Exception:  # the bid is not renewed meanwhile, so users see the failure
            log.exception("one measurement of the node failed")
        stop.wait(period_seconds)


def _sample(meter: Meter, planned: PlannedOnNode, clock: Clock) -> Measured:
    wall = clock.wall()
    meter.sample(clock.now(), wall, planned.members, own_wall=clock.own(), others_requested=planned.others_cores)
    return meter.measured(wall)
