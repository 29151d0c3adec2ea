"""Takes this process from standby to leading, and ends its leading. Only the leader decides and writes."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from time import time
from typing import Any

from lockstep.act.dealing.dealer_reads import DealerReads
from lockstep.api.client.client import KubeClient
from lockstep.api.client.fence import Fence
from lockstep.api.client.instance import instance_name
from lockstep.api.cluster.lease import LeaseHolder
from lockstep.belief.state import State
from lockstep.cycle.cycle import Cycle
from lockstep.process.election.elector import ElectionTerms, Elector
from lockstep.process.start.side_by_side import until_first_ends
from lockstep.process.stores.record_store import RecordStore
from lockstep.process.stores.run_time_store import RunTimeStore
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.nodebids.bid_status_writes import keep_bid_plans_written
from lockstep.report.nodebids.bids import keep_bid_conditions_written
from lockstep.report.nodebids.owner_return_times import keep_owner_returns_written
from lockstep.watch.own_lists import list_own_kinds_at_last

# Seconds to wait for requests in progress. If they take longer, the next leader waits as after a crash.
_LAST_WRITES_SECONDS = 3.0

Work = Callable[[], Coroutine[Any, Any, None]]
"""A task that runs while this process leads."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leadership:
    """The tasks of this process as a candidate and as the leader. Without an ``elector`` it leads at once.

    Without ``run_times``, learned run times are lost when the process ends. Without ``records``, no gang is recorded.
    ``works`` are further tasks of the leader that options ask for.
    """

    elector: Elector | None
    fence: Fence
    client: KubeClient
    state: State
    cycle: Cycle
    metrics: Metrics
    run_times: RunTimeStore | None
    records: RecordStore | None
    dealers: DealerReads
    works: Sequence[Work]

    async def take_part(self) -> None:
        """Stand by until this process wins the lease, then lead. Raises ``LeaseLostError`` when the lease is lost."""
        if self.elector is None:
            await self._lead()
            return
        await self._stand_by(self.elector)
        await self._lead_while(asyncio.create_task(self.elector.hold()))

    async def end(self) -> None:
        """Stop writing, stop all work, and release the lease for the next process.

        The lease is not released if requests are still in progress after ``_LAST_WRITES_SECONDS``.
        """
        self.fence.close()
        is_quiet = await self.client.wait_until_idle(at_most_seconds=_LAST_WRITES_SECONDS)
        await self.cycle.stop()
        if self.elector is not None and is_quiet:
            await self.elector.give_back()

    async def _stand_by(self, elector: Elector) -> None:
        log.info("this process stands by")
        noting = asyncio.create_task(self.cycle.stand_by())
        try:
            await elector.win()
        finally:
            noting.cancel()

    async def _lead_while(self, holding: asyncio.Task[None]) -> None:
        """Lead until the lease is lost, or this is cancelled."""
        try:
            await until_first_ends(asyncio.Event(), _end_of(holding), self._follow_on())
        finally:
            # ``holding`` ends last, because its end closes the fence: other tasks may write once more when they end.
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)

    async def _follow_on(self) -> None:
        """Lead after a fresh list.

        The watches may not have delivered the last writes of the previous leader yet.
        """
        await list_own_kinds_at_last(self.client, self.state)
        await self._lead()

    async def _lead(self) -> None:
        if self.run_times is not None:
            await self.run_times.read()
        if self.records is not None:
            self.records.begin()
        self.state.lead()
        self.metrics.leader.set(1)
        works = [
            self.cycle.run(),
            self.dealers.keep_read(),
            keep_bid_conditions_written(self.client, self.state, time),
            keep_bid_plans_written(self.client, self.state, time),
            keep_owner_returns_written(self.client, self.state, time),
        ]
        if self.run_times is not None:
            works.append(self.run_times.keep_written())
        if self.records is not None:
            works.append(self.records.keep_handed_over())
        works.extend(work() for work in self.works)
        await until_first_ends(asyncio.Event(), *works)


async def _end_of(task: asyncio.Task[None]) -> None:
    """Wait until the task has ended, and raise its error. The task goes on if this call is cancelled."""
    await asyncio.wait([task])
    task.result()


async def make_elector(
    stack: AsyncExitStack, terms: ElectionTerms | None, client: KubeClient, fence: Fence, metrics: Metrics
) -> Elector | None:
    """An elector with connections of its own, so that no other request delays it; None without terms.

    It shares the credentials of ``client``.
    """
    if terms is None:
        return None
    own_client = KubeClient(
        client.configuration, concurrency=1, observer=metrics.api.request_answered, credentials=client.credentials
    )
    await stack.enter_async_context(own_client)
    return Elector(own_client, fence, terms, holder=LeaseHolder.of_instance(instance_name()), now=time)
