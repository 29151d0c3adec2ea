"""Hands over records of gangs in ConfigMaps, from which the recorder takes them. No gang waits for this.

In each interval one ConfigMap is created, after all more urgent writes. No ConfigMap is read. A bounded number of
names, the slots, is used in turn. If a ConfigMap with the name still exists, the next interval tries the next name.
While all names are in use, records wait in memory, and their number is bounded.
"""

import asyncio
import logging
from collections.abc import Generator
from contextlib import suppress
from http import HTTPStatus

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.fence import Fence
from lockstep.api.client.turns import PLACING, Urgency
from lockstep.api.records.record_maps import MOST_BYTES, SLOTS, record_line, records_manifest, records_map_name
from lockstep.belief.state import State
from lockstep.cycle.clockwork.turns import in_turns
from lockstep.facts.records.gang_record import GangRecord
from lockstep.process.election.elector import ElectionTerms

_PAUSE_SECONDS = 5.0
# The pause while more records wait than one ConfigMap has room for.
_BUSY_PAUSE_SECONDS = 1.0
_FULL_PAUSE_SECONDS = 60.0
_PATIENCE_SECONDS = 5.0
_LAST_WRITE_SECONDS = 2.0

log = logging.getLogger(__name__)


class RecordStore:
    """Hands over the records in ``state``, in ConfigMaps in the namespace of the lease."""

    def __init__(
        self, client: KubeClient, fence: Fence, state: State, terms: ElectionTerms, *, has_users: bool
    ) -> None:
        self._client = client
        self._fence = fence
        self._state = state
        self._namespace, self._lease = terms.namespace, terms.name
        self._has_users = has_users
        self._slot = 0
        self._refusals = 0
        self._trouble = ""
        self._noted_losses = 0

    def begin(self) -> None:
        """Record changes from now on. ``keep_handed_over`` also records the gangs that exist already."""
        self._state.records.begin(self._state.gangs, has_users=self._has_users)

    async def keep_handed_over(self) -> None:
        """Hand over waiting records in intervals until cancelled, and then once more, for 2 s at most."""
        try:
            while True:
                await asyncio.sleep(self._pause)
                await in_turns(self._state.records.catching_up(self._state.gangs))
                await self._client.wait_until_idle(at_most_seconds=_PATIENCE_SECONDS, of=PLACING)
                await self.hand_over()
        finally:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_WRITE_SECONDS):
                    await self.hand_over()

    async def hand_over(self) -> None:
        """Create one ConfigMap with records, if any wait. Records that could not be handed over go on waiting."""
        self._note_losses()
        if not self._fence.is_open:
            return
        records, lines = list[GangRecord](), list[bytes]()
        is_done = False
        try:
            await in_turns(self._batching(records, lines))
            is_done = not records or await self._create(lines)
        finally:
            if not is_done:
                self._state.records.put_back(records)

    @property
    def _pause(self) -> float:
        """Seconds until the next hand-over."""
        if self._refusals:
            return _FULL_PAUSE_SECONDS if self._refusals >= SLOTS else _PAUSE_SECONDS
        return _BUSY_PAUSE_SECONDS if len(self._state.records) else _PAUSE_SECONDS

    def _batching(self, records: list[GangRecord], lines: list[bytes]) -> Generator[None, None, None]:
        """Move records to ``records`` and their lines to ``lines``, one in each step, up to the size of a ConfigMap."""
        size = 0
        while size < MOST_BYTES and (record := self._state.records.take()) is not None:
            records.append(record)
            lines.append(record_line(record))
            size += len(lines[-1])
            yield

    async def _create(self, lines: list[bytes]) -> bool:
        name = records_map_name(self._lease, self._slot)
        body = records_manifest(self._namespace, name, lines)
        try:
            answer = await self._client.create(paths.config_maps_of(self._namespace), body, Urgency.REPORT)
        except ApiUnavailableError as error:
            self._note(str(error))
            return False
        if answer.is_success or answer.code == HTTPStatus.CONFLICT:
            self._slot = (self._slot + 1) % SLOTS
        self._refusals = 0 if answer.is_success else self._refusals + 1
        is_full = answer.code == HTTPStatus.CONFLICT and self._refusals == SLOTS
        if is_full:
            self._note(f"all {SLOTS} ConfigMaps are in use, and the recorder removes none")
        elif answer.code != HTTPStatus.CONFLICT:
            self._note("" if answer.is_success else answer.message)
        return answer.is_success

    def _note(self, trouble: str) -> None:
        """Log an error, unless it is the same as the last one."""
        if trouble and trouble != self._trouble:
            log.warning("records of gangs can't be written for the recorder, and wait: %s", trouble)
        self._trouble = trouble

    def _note_losses(self) -> None:
        """Log the number of lost records, and log it again when it has more than doubled.

        So a long outage does not fill the log.
        """
        lost = self._state.records.dropped
        if lost > 2 * self._noted_losses:
            log.error("%d records of gangs are lost: too many waited for the recorder", lost)
            self._noted_losses = lost
