"""Keeps the use of groups in the status of the FairShare, so that the operator continues from it after a restart.

A written status has all charges up to its time. One write has all groups, and is refused if another process has written
since the last read. If the process dies, changes after the last write are lost: the charges of attempts that ended
since then, and the return of charges.
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency
from lockstep.api.shares.fair_share import GroupReport, parse_fair_share, share_status_patch
from lockstep.belief.shares.sharing import GroupSharing
from lockstep.facts.fair_share import FairShare
from lockstep.report.text.share_sentences import summary_of, times_share, use_of_share

# In seconds. A charge that is given back is written after this time: the group may have been charged for a week, and
# would stay charged if the process died before the write.
_PAUSE_SECONDS = 2.0
_WRITE_SECONDS = 30.0

log = logging.getLogger(__name__)


class ShareKeeper:
    """Reads the use of groups once. Then it writes the use every 30 s, and soon after a charge is given back."""

    def __init__(self, client: KubeClient, sharing: GroupSharing, now: Callable[[], float]) -> None:
        self._client = client
        self._sharing = sharing
        self._now = now
        self._begun = ""
        self._trouble = ""

    async def keep_written(self) -> None:
        """Follow the FairShare until cancelled."""
        while True:
            await self.step()
            await asyncio.sleep(_PAUSE_SECONDS)

    async def step(self) -> None:
        """Begin to keep accounts if there is a new FairShare, and write the accounts if that is due."""
        fact = self._sharing.fact
        if fact is None:
            return
        if fact.uid != self._begun or self._sharing.accounts is None:
            await self._begin()
        elif self._is_due(fact):
            await self._write()

    def _is_due(self, fact: FairShare) -> bool:
        accounts = self._sharing.accounts
        written = None if fact.counted is None else fact.counted.at
        is_old = written is None or not 0 <= self._now() - written < _WRITE_SECONDS
        return is_old or (accounts is not None and accounts.gave_back)

    async def _begin(self) -> None:
        """Read the FairShare again: the watch may not have delivered the last write of the previous leader."""
        answer = await self._ask("read", self._client.get(paths.FAIR_SHARE))
        if answer is None or not answer.is_success:
            return
        fact = parse_fair_share(answer.body)
        if self._is_in_force(fact):
            self._sharing.apply(fact)
            self._sharing.begin(fact.counted, self._now())
            self._begun = fact.uid

    async def _write(self) -> None:
        fact, accounts = self._sharing.fact, self._sharing.accounts
        if fact is None or accounts is None:
            return
        self._sharing.charge(self._now())
        # Times in a status are whole seconds. The status says what will have been used at the next whole second.
        now = float(math.ceil(self._now()))
        gave_back, accounts.gave_back = accounts.gave_back, False
        used = self._sharing.used(now)
        times = times_share(fact.groups, used)
        reports = [
            GroupReport(one.name, used[one.name], f"It {use_of_share(times.get(one.name))}.") for one in fact.groups
        ]
        body = share_status_patch(fact.resource_version, now, summary_of(fact.groups, times), reports)
        answer = await self._ask("written", self._client.patch(paths.FAIR_SHARE_STATUS, body, Urgency.REPORT))
        if answer is not None and answer.is_success:
            written = parse_fair_share(answer.body)
            if self._is_in_force(written):
                self._sharing.apply(written)
        else:
            accounts.gave_back |= gave_back

    def _is_in_force(self, fact: FairShare) -> bool:
        """Whether the cache still has this FairShare.

        An answer must not put a deleted FairShare back into the cache: the watch would not report its deletion again.
        """
        return self._sharing.fact is not None and self._sharing.fact.uid == fact.uid

    async def _ask(self, done: str, request: Awaitable[Answer]) -> Answer | None:
        """The answer, or None if there is none. An error is logged unless it equals the last one."""
        answer, trouble = None, ""
        try:
            answer = await request
        except ApiUnavailableError as error:
            trouble = str(error)
        # After a conflict the watch delivers the newer version, and the next step continues from there.
        if answer is not None and not answer.is_success and answer.code != HTTPStatus.CONFLICT:
            trouble = answer.message
        if trouble and trouble != self._trouble:
            log.warning("the FairShare can't be %s: %s", done, trouble)
        self._trouble = trouble
        return answer
