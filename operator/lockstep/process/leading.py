"""From standing by to leading, and how leading ends: whoever leads decides and writes, nobody else does."""

import asyncio
import logging
from contextlib import AsyncExitStack
from dataclasses import dataclass
from time import time

from lockstep.act.capacity.node_requests import NodeRequests
from lockstep.api.client.client import KubeClient
from lockstep.api.client.fence import Fence
from lockstep.api.client.instance import instance_name
from lockstep.api.cluster.lease import LeaseHolder
from lockstep.belief.state import State
from lockstep.cycle.cycle import Cycle
from lockstep.process.election.elector import ElectionTerms, Elector
from lockstep.process.start.side_by_side import until_first_ends
from lockstep.process.stores.run_time_store import RunTimeStore
from lockstep.process.stores.settings_store import SettingsStore
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.nodebids.bid_status_writes import keep_bid_plans_written
from lockstep.report.nodebids.bids import keep_bid_conditions_written
from lockstep.report.nodebids.owner_return_times import keep_owner_returns_written
from lockstep.watch.own_lists import list_own_kinds_at_last

# The successor may begin as soon as what is under way has ended; for what takes longer it waits as after a crash.
_LAST_WRITES_SECONDS = 3.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leadership:
    """The part of this process in deciding. Without an ``elector`` it leads as soon as it may.

    Without ``run_times`` what is learnt of them ends with the process; without ``settings`` nothing is published of
    these. Without ``node_requests`` no autoscaler is asked for nodes.
    """

    elector: Elector | None
    fence: Fence
    client: KubeClient
    state: State
    cycle: Cycle
    metrics: Metrics
    run_times: RunTimeStore | None
    settings: SettingsStore | None
    node_requests: NodeRequests | None

    async def take_part(self) -> None:
        """Stand by until it is our turn, then lead. Raises ``LeaseLostError`` when that is over."""
        if self.elector is None:
            await self._lead()
            return
        await self._stand_by(self.elector)
        await self._lead_while(asyncio.create_task(self.elector.hold()))

    async def end(self) -> None:
        """Write nothing any more, leave all as it stands, and let the next process lead."""
        self.fence.close()
        is_quiet = await self.client.lull(at_most_seconds=_LAST_WRITES_SECONDS)
        await self.cycle.stop()
        if self.elector is not None and is_quiet:
            await self.elector.give_back()

    async def _stand_by(self, elector: Elector) -> None:
        log.info("standing by")
        noting = asyncio.create_task(self.cycle.stand_by())
        try:
            await elector.win()
        finally:
            noting.cancel()

    async def _lead_while(self, holding: asyncio.Task[None]) -> None:
        """Lead until the lease is lost, or nobody wants it any more."""
        try:
            await until_first_ends(asyncio.Event(), _end_of(holding), self._follow_on())
        finally:
            # Last of all, as it closes the fence: whoever stops leading may have something left to write.
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)

    async def _follow_on(self) -> None:
        """Lead, after another look: what our predecessor wrote last may not have been seen yet."""
        await list_own_kinds_at_last(self.client, self.state)
        await self._lead()

    async def _lead(self) -> None:
        if self.run_times is not None:
            await self.run_times.read()
        self.state.lead()
        self.metrics.leader.set(1)
        works = [
            self.cycle.run(),
            keep_bid_conditions_written(self.client, self.state, time),
            keep_bid_plans_written(self.client, self.state, time),
            keep_owner_returns_written(self.client, self.state, time),
        ]
        if self.run_times is not None:
            works.append(self.run_times.keep_written())
        if self.settings is not None:
            works.append(self.settings.keep_published())
        if self.node_requests is not None:
            works.append(self.node_requests.keep_asked())
        await until_first_ends(asyncio.Event(), *works)


async def _end_of(task: asyncio.Task[None]) -> None:
    """Wait until the task has ended, and raise its error; whoever gives up waiting does not end it."""
    await asyncio.wait([task])
    task.result()


async def make_elector(
    stack: AsyncExitStack, terms: ElectionTerms | None, client: KubeClient, fence: Fence, metrics: Metrics
) -> Elector | None:
    """An elector with connections of its own, so that no other request keeps it waiting; None without terms.

    It logs in as ``client`` does, and where that is not let in, neither is it.
    """
    if terms is None:
        return None
    own_client = KubeClient(
        client.configuration, concurrency=1, observer=metrics.request_answered, credentials=client.credentials
    )
    await stack.enter_async_context(own_client)
    return Elector(own_client, fence, terms, holder=LeaseHolder.of_instance(instance_name()), now=time)
