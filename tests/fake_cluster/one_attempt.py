"""One attempt of a gang of three members on a fake API server, with faults at chosen requests."""

import asyncio
import itertools
from contextlib import asynccontextmanager

from builders.facts import take_changed
from builders.served import gang, node
from coschedule import GangKey, Placement
from coschedule import Members as Planned
from fake_cluster.api import FakeApi
from fake_cluster.jumping import now
from fake_cluster.rig import bound, end, gang_place, pods_of, watching_operator
from lockstep.act.attempt import Attempt
from lockstep.act.ending.undo import UndoListeners
from lockstep.act.requests.outcome import Ending
from lockstep.belief.holding.reservation import reserved_for
from lockstep.snapshot.attempt_start import AttemptStart

KEY = GangKey("default", "g")
NODES = (Planned("n1", 2), Planned("n2", 1))
# One reservation, three pods, three bindings. The write of the Service is not counted.
WRITES = 7
# Seconds from a change to the first check for the next one. Each pause after that is longer.
LEAST_PAUSE = 0.05

SILENT = UndoListeners(reported=lambda _: None, takes_long=lambda *_: None)


class Try:
    """An attempt of gang g that is ready to begin."""

    def __init__(self, parts):
        self.parts = parts
        self.gang = parts.state.gangs[KEY]
        placement = Placement(
            gang=KEY,
            size=3,
            start=now(),
            finish=now() + 60,
            speedup=None,
            members=NODES,
            slowest="n1",
            latest=None,
            alternative=None,
        )
        self.reservation = reserved_for(self.gang, placement, attempt=1, now=now())
        self.start = AttemptStart(reservation=self.reservation, placement=placement)
        parts.state.assumptions.hold(self.reservation)
        self.attempt = Attempt(parts.services, self.gang, self.reservation, pause=lambda _: 1.0, listeners=SILENT)

    async def begin(self):
        return await self._notified(self.attempt.begin(self.start))

    async def resume(self):
        return await self._notified(self.attempt.resume())

    async def _notified(self, work):
        """Carry out the work, and notify the attempt of changes as the cycle does."""
        task = asyncio.create_task(work)
        state = self.parts.state
        try:
            async with asyncio.timeout(900):
                pause = LEAST_PAUSE
                while not task.done():
                    await asyncio.sleep(pause)
                    pause = min(1.5 * pause, 2.0)
                    if take_changed(state):
                        self.attempt.changed.set()
                        pause = LEAST_PAUSE
        finally:
            await end([task])
        return task.result()


@asynccontextmanager
async def cluster(*, fault=lambda _: None):
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1"), node("n2"))
        api.store.add("gangjobs", gang("g", size=3))
        async with watching_operator(api) as parts:
            api.fault = fault
            yield api, parts


def at_write(number, fault, *, times=1):
    """A fault at the given write and the next ``times - 1`` ones, counted from 1, but for that of the Service."""
    writes = itertools.count(1)

    def decide(request):
        is_counted = request.is_write and request.resource != "services"
        return fault if is_counted and number <= next(writes) < number + times else None

    return decide


def at_first(verb, resource, fault):
    """A fault at the first such request."""
    left = [fault]

    def decide(request):
        return left.pop() if left and (request.verb, request.resource) == (verb, resource) else None

    return decide


def assert_whole(api, parts, outcome):
    assert outcome.ending is Ending.PLACED
    assert sorted(bound(pods_of(api, "g"))) == ["n1", "n1", "n2"]
    assert api.store.get(gang_place("g"))["status"]["reservedAt"]
    assert parts.state.ledger.assumed == 0


def assert_nothing_left(api, outcome):
    assert outcome.ending in (Ending.UNDONE, Ending.NOT_RESERVED, Ending.REFUSED)
    assert pods_of(api, "g") == []
    status = api.store.get(gang_place("g")).get("status", {})
    assert "reservedAt" not in status
    assert "members" not in status
