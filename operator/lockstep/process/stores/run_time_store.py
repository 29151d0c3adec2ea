"""Keeps what finished runs have taught where the next process finds it: read before leading, written now and then."""

import asyncio
import logging
from collections.abc import Awaitable
from contextlib import suppress

from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.fence import Fence
from lockstep.api.gangjob.kept_runs import kept_runs_manifest, parse_kept_runs
from lockstep.belief.run_times.past_runs import PastRuns
from lockstep.process.election.elector import ElectionTerms

_PAUSE_SECONDS = 10.0
_LAST_WRITE_SECONDS = 2.0
_NOT_FOUND = 404
_CONFLICT = 409

log = logging.getLogger(__name__)


class RunTimeStore:
    """One ConfigMap beside the lease, which is written while ``fence`` is open.

    Trouble with it costs what was learnt, and no more than that.
    """

    def __init__(self, client: KubeClient, fence: Fence, past_runs: PastRuns, terms: ElectionTerms) -> None:
        self._client = client
        self._fence = fence
        self._past_runs = past_runs
        self._namespace, self._name = terms.namespace, kept_under(terms.name)
        self._folder = paths.config_maps_of(self._namespace)
        self._place = paths.config_map(self._namespace, self._name)
        self._version = ""
        self._written = past_runs.changes
        self._trouble = ""

    async def read(self) -> None:
        """Take over what an earlier process has kept; it is in force at once, since nobody plans before."""
        await self._look()
        self._past_runs.put_in_force()
        self._written = self._past_runs.changes

    async def keep_written(self) -> None:
        """Write what is new every few seconds, and a last time when cancelled: that takes a moment at most."""
        try:
            while True:
                await asyncio.sleep(_PAUSE_SECONDS)
                await self.write()
        finally:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_WRITE_SECONDS):
                    await self.write()

    async def write(self) -> None:
        """Write what is new, if anything is; where somebody else has changed what is there, once more beside that."""
        if self._written == self._past_runs.changes or not self._fence.is_open:
            return
        answer = await self._put()
        if answer is not None and answer.code in (_NOT_FOUND, _CONFLICT):
            await self._look()
            await self._put()

    async def _look(self) -> None:
        """See which version is there, and take over what it holds and is not known yet."""
        answer = await self._ask("read", self._client.get(self._place))
        if answer is None or not answer.is_success:
            self._version = ""
            return
        self._version = answer.body["metadata"]["resourceVersion"]
        kept = parse_kept_runs(answer.body)
        if kept is None:
            log.warning("ConfigMap %s/%s does not hold run times, and is replaced", self._namespace, self._name)
        else:
            self._past_runs.remember(kept)

    async def _put(self) -> Answer | None:
        changes = self._past_runs.changes
        body = kept_runs_manifest(self._namespace, self._name, self._past_runs.runs, version=self._version)
        request = self._client.replace(self._place, body) if self._version else self._client.create(self._folder, body)
        answer = await self._ask("written", request)
        if answer is not None and answer.is_success:
            self._version, self._written = answer.body["metadata"]["resourceVersion"], changes
        return answer

    async def _ask(self, done: str, request: Awaitable[Answer]) -> Answer | None:
        """The answer, or None where there is none; trouble is logged once for each kind of it."""
        answer, trouble = None, ""
        try:
            answer = await request
        except ApiUnavailableError as error:
            trouble = str(error)
        if answer is not None and not answer.is_success and answer.code not in (_NOT_FOUND, _CONFLICT):
            trouble = answer.message
        if trouble and trouble != self._trouble:
            log.warning("ConfigMap %s/%s can't be %s: %s", self._namespace, self._name, done, trouble)
        self._trouble = trouble
        return answer


def kept_under(lease: str) -> str:
    """The name of the ConfigMap of those who agree by a lease of that name."""
    return f"{lease}-run-times"
