"""Resizes members in place: each member gets another amount of CPU while it runs. Nothing waits for the result."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.requests.api_refusals import is_pod_gone_or_changed
from lockstep.act.requests.services import Services
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.turns import PLACING, Urgency
from lockstep.api.pods.pace import resize_patch
from lockstep.facts.pods.pace import Cpu, ResizeResult
from lockstep.facts.pods.pod import PodFact
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for
from lockstep.report.status.rate import Rate

# The longest time in seconds that a resize waits for the requests of gangs that are being bound.
_PATIENCE_SECONDS = 5.0
# In resizes per second. At this rate the largest gang, of 10,000 members, takes minutes. The API server spends a few
# milliseconds of each second on resizes.
_PER_SECOND = 50.0
_BURST = 50.0
# In seconds. After this time watches have shown the result.
_SETTLE_SECONDS = 2.0
# The pause in seconds after a refusal by a quota, a policy or a node without room.
_REST_SECONDS = 300.0

log = logging.getLogger(__name__)


class Resize(NamedTuple):
    """The new amounts of a member's containers. ``instead`` is requested if they are refused, unless it is None.

    ``withdraws`` says that the amounts are less than an earlier request that the node could not meet.
    """

    pod: PodFact
    amounts: Mapping[str, Cpu]
    instead: Mapping[str, Cpu] | None = None
    withdraws: bool = False


class Resizes:
    """Resizes the members of a gang beside the cycle, one after the other. After that the gang is reconciled.

    ``count`` is called with each result. A member whose resize was refused or withdrawn rests for a while.
    """

    def __init__(self, services: Services, *, count: Callable[[ResizeResult], None]) -> None:
        self._client = services.client
        self._monotonic = services.monotonic
        self._reconcile = services.state.changes.reconcile
        self._count = count
        self._rate = Rate(per_second=_PER_SECOND, burst=_BURST)
        self._tasks: dict[GangKey, asyncio.Task[None]] = {}
        # For each gang and the UID of each member, the monotonic time until which the member rests.
        self._resting: dict[GangKey, dict[str, float]] = {}
        # For each gang, the message of the API server's last refusal.
        self._refusals: dict[GangKey, str] = {}

    def begin(self, gang: GangKey, resizes: Sequence[Resize]) -> None:
        """Resize these members of a gang. No resize of the gang may be in progress."""
        assert gang not in self._tasks, "one gang's members are resized once at a time"
        self._refusals.pop(gang, None)
        task = self._tasks[gang] = asyncio.create_task(self._resize_all(gang, resizes))
        task.add_done_callback(lambda _: self._ended(gang, task))

    def is_under_way(self, gang: GangKey) -> bool:
        """Whether members of that gang are being resized."""
        return gang in self._tasks

    def rests(self, gang: GangKey, pod: PodFact) -> bool:
        """Whether that member must not be resized for a while."""
        return self._resting.get(gang, {}).get(pod.uid, 0.0) > self._monotonic()

    def refusal(self, gang: GangKey) -> str:
        """The API server's last refusal to resize a member; '' if there is none."""
        return self._refusals.get(gang, "")

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone or has ended, or whose attempt has ended."""
        self._resting.pop(gang, None)
        self._refusals.pop(gang, None)
        task = self._tasks.pop(gang, None)
        if task is not None:
            task.cancel()

    async def stop(self) -> None:
        """Cancel all resizes. After a restart, the pods show the amounts that each member has."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, gang: GangKey, task: asyncio.Task[None]) -> None:
        if self._tasks.get(gang) is task:
            del self._tasks[gang]
            self._reconcile(gang)

    async def _resize_all(self, gang: GangKey, resizes: Sequence[Resize]) -> None:
        work_for(gang)
        try:
            await self._client.wait_until_idle(at_most_seconds=_PATIENCE_SECONDS, of=PLACING)
            for resize in resizes:
                await self._rate.other()
                await self._resize(gang, resize)
        except ApiUnavailableError as error:
            self._count(ResizeResult.ERROR)
            log.warning("some of the gang's members could not be resized: %s", error, extra=about(gang))
        await asyncio.sleep(_SETTLE_SECONDS)

    async def _resize(self, gang: GangKey, resize: Resize) -> None:
        answer = await self._ask(resize.pod, resize.amounts)
        if answer.is_success:
            self._count(ResizeResult.WITHDRAWN if resize.withdraws else ResizeResult.DONE)
        elif is_pod_gone_or_changed(answer):  # the watch reports that
            return
        else:
            self._refused(gang, resize.pod, answer)
            if resize.instead is not None:
                await self._ask(resize.pod, resize.instead)
        if resize.withdraws:
            self._rest(gang, resize.pod)

    def _refused(self, gang: GangKey, pod: PodFact, answer: Answer) -> None:
        self._count(ResizeResult.REFUSED)
        self._refusals[gang] = f"the API server refused to resize pod {pod.key.name}: {answer.message.rstrip('.')}"
        log.warning("%s", self._refusals[gang], extra=about(gang))
        self._rest(gang, pod)

    def _rest(self, gang: GangKey, pod: PodFact) -> None:
        self._resting.setdefault(gang, {})[pod.uid] = self._monotonic() + _REST_SECONDS

    async def _ask(self, pod: PodFact, amounts: Mapping[str, Cpu]) -> Answer:
        return await self._client.patch_entries(
            paths.pod_resize(pod.key), resize_patch(pod.uid, amounts), Urgency.REPORT
        )
