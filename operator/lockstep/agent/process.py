"""The agent's one loop: look at the node, then see whether its bid has to be written."""

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
    """Which node is measured, how often, and where its files are; ``proc`` is the host's /proc."""

    node: str
    period_seconds: float
    root: Path
    proc: Path
    history: Path


def run_agent(assignment: Assignment, server: Server, terms: BidTerms, stop: Event) -> None:
    """Measure the node and write its bid until somebody says stop. The bid then expires by itself."""
    clock = Clock()
    bid = OwnBid(assignment.node, partial(watching, server), clock, stop)
    publisher = Publisher(assignment.node, partial(applied, server), clock, terms)
    meter = Meter(assignment.history, root=assignment.root, proc=assignment.proc)
    log.info("measuring node %s every %g s", assignment.node, assignment.period_seconds)
    bid.start()
    every(assignment.period_seconds, stop, lambda: look(meter, bid.planned, publisher, clock))


def look(meter: Meter, planned: PlannedOnNode | None, publisher: Publisher, clock: Clock) -> None:
    """Sample once, if it is known whose pods run here, and see to the bid."""
    publisher.look(None if planned is None else _sample(meter, planned, clock))
    for sentence in meter.news():
        log.warning("%s", sentence)


def every(period_seconds: float, stop: Event, work: Callable[[], None]) -> None:
    """Do the work once a period until somebody says stop; what it raises costs one period."""
    while not stop.is_set():
        try:
            work()
        except Exception:  # the bid is not renewed meanwhile, so it tells
            log.exception("one look at the node failed")
        stop.wait(period_seconds)


def _sample(meter: Meter, planned: PlannedOnNode, clock: Clock) -> Measured:
    wall = clock.wall()
    meter.sample(clock.now(), wall, planned.members, own_wall=clock.own(), others_requested=planned.others_cores)
    return meter.measured(wall)
