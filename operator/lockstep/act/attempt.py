"""One attempt of one gang: reserve → create all → bind all → seen bound; or everything taken back.

The reservation in the gang's status is written before any pod exists and removed after the last one is gone, so
whoever reads it, this process or the next, knows every pod that may exist. Each step can be repeated: a restart at any
line goes on with :meth:`Attempt.resume`.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from lockstep.act.bind import Binder
from lockstep.act.create import Creator
from lockstep.act.progress import Progress, progress
from lockstep.act.undo import delete_pods, list_members
from lockstep.facts import GangFact, GangStatus, PodFact, PodKey
from lockstep.failure import Failure
from lockstep.kube import ApiUnavailableError, KubeClient
from lockstep.names import Reason
from lockstep.report.conditions import released
from lockstep.report.status import Written, write_status
from lockstep.state import Reservation, State, reserved_in_status

# How long to wait for a watch's word before asking the API server itself.
_LOOK_AGAIN_SECONDS = 2.0

log = logging.getLogger(__name__)


class Ending(Enum):
    """How an attempt ended."""

    PLACED = auto()
    NOT_RESERVED = auto()
    UNDONE = auto()
    BROKEN_OFF = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an attempt ended; ``failure`` says why where it was undone."""

    ending: Ending
    failure: Failure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What every attempt works with.

    ``now`` is the time of day in seconds; ``count_binding`` is told of each binding's result.
    """

    client: KubeClient
    state: State
    now: Callable[[], float]
    count_binding: Callable[[str], None]


class Attempt:
    """Carries out one reservation that the state already holds.

    Whoever runs it sets ``changed`` after each news of the gang.
    """

    def __init__(self, tools: Tools, gang: GangFact, reservation: Reservation, *, retry_seconds: float) -> None:
        self._tools = tools
        self._gang = gang
        self._reservation = reservation
        self._retry_seconds = retry_seconds
        self.changed = asyncio.Event()

    async def begin(self, status: GangStatus) -> Outcome:
        """Reserve with this status, then carry out."""
        try:
            written = await write_status(self._tools.client, self._tools.state, self._gang, status)
        except ApiUnavailableError as error:
            return await self._take_back(Failure(reason=Reason.API_UNAVAILABLE, message=str(error)))
        if written is Written.DONE or self._stands_in_status():
            return await self.resume()
        return Outcome(ending=Ending.NOT_RESERVED)

    async def resume(self) -> Outcome:
        """Carry out a reservation that stands in the gang's status, whatever of it is done already."""
        failure = await self._create_and_bind()
        if failure is None:
            failure = await self._until_seen_bound()
        if failure is None:
            return Outcome(ending=Ending.PLACED)
        return await self._take_back(failure)

    async def interrupt(self, failure: Failure) -> Outcome:
        """Take back a gang that was placed and has lost a member."""
        return await self._take_back(failure)

    def _stands_in_status(self) -> bool:
        """Whether the write that conflicted was a repetition of our own, whose answer was lost."""
        gang = self._tools.state.gangs.get(self._gang.key)
        stands = None if gang is None or gang.uid != self._gang.uid else reserved_in_status(gang)
        ours = self._reservation
        return stands is not None and (stands.attempt, stands.members) == (ours.attempt, ours.members)

    async def _create_and_bind(self) -> Failure | None:
        tools, there = self._tools, self._pods()
        creator = Creator(tools.client, self._gang, self._reservation)
        failure = await creator.create_missing({key: pod.uid for key, pod in there.items()})
        if failure is not None:
            return failure
        binder = Binder(tools.client, self._reservation, count=tools.count_binding)
        return await binder.bind_all(creator.uids, {key: pod.node for key, pod in there.items() if pod.node})

    async def _until_seen_bound(self) -> Failure | None:
        while True:
            self.changed.clear()
            counts = self._progress()
            if counts.disrupted is not None:
                return counts.disrupted
            if counts.is_bound:
                return None
            await self.changed.wait()

    async def _take_back(self, failure: Failure) -> Outcome:
        """Delete what is there, wait until it is gone, then release.

        Goes on until it succeeds or the gang itself is gone.
        """
        log.warning("%s/%s: attempt %d is undone: %s", *self._gang.key, self._reservation.attempt, failure.message)
        while not await self._is_all_gone():
            self.changed.clear()
            await self._pause()
        while not await self._release(failure):
            await self._pause()
        return Outcome(ending=Ending.UNDONE, failure=failure)

    async def _is_all_gone(self) -> bool:
        try:
            pods = await list_members(self._tools.client, self._gang, self._reservation.attempt)
        except ApiUnavailableError:
            return False
        await delete_pods(self._tools.client, pods)
        return not pods

    async def _release(self, failure: Failure) -> bool:
        """Remove the reservation from the status, over whatever version the gang has by now."""
        state = self._tools.state
        gang = state.gangs.get(self._gang.key)
        if gang is None or gang.uid != self._gang.uid:
            return True
        status = released(gang, failure, retry_seconds=self._retry_seconds, now=self._tools.now())
        try:
            written = await write_status(self._tools.client, state, gang, status)
        except ApiUnavailableError:
            return False
        return written in (Written.DONE, Written.GONE)

    async def _pause(self) -> None:
        """Wait for news of the gang, but not for ever: the news may have come before we listened."""
        try:
            await asyncio.wait_for(self.changed.wait(), timeout=_LOOK_AGAIN_SECONDS)
        except TimeoutError:
            return

    def _pods(self) -> dict[PodKey, PodFact]:
        """The pods of this attempt that watches have shown."""
        members = self._tools.state.members(self._gang)
        return {key: members[key] for key in self._reservation.pod_keys() if key in members}

    def _progress(self) -> Progress:
        state = self._tools.state
        return progress(self._reservation, state.members(self._gang), state.departed(self._gang))
