"""Keeps learned run times in a ConfigMap for the next process, which reads it before it leads."""

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

log = logging.getLogger(__name__)


class RunTimeStore:
    """The learned run times in one ConfigMap in the namespace of the lease, written only while ``fence`` is open.

    After an error, the worst result is that learned run times are lost.
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
        """Read the run times that earlier processes kept. They apply at once, since nothing is planned yet."""
        await self._read_stored()
        self._past_runs.put_in_force()
        self._written = self._past_runs.changes

    async def keep_written(self) -> None:
        """Write new run times every 10 s until cancelled, and then once more, for 2 s at most."""
        try:
            while True:
                await asyncio.sleep(_PAUSE_SECONDS)
                await self.write()
        finally:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_WRITE_SECONDS):
                    await self.write()

    async def write(self) -> None:
        """Write new run times, if any. If another client has changed the ConfigMap, merge both and write once more."""
        if self._written == self._past_runs.changes or not self._fence.is_open:
            return
        answer = await self._put()
        if answer is not None and answer.is_gone_or_changed:
            await self._read_stored()
            await self._put()

    async def _read_stored(self) -> None:
        """Read the ConfigMap: keep its version, and add the run times in it that are not known yet."""
        answer = await self._ask("read", self._client.get(self._place))
        if answer is None or not answer.is_success:
            self._version = ""
            return
        self._version = answer.body["metadata"]["resourceVersion"]
        kept = parse_kept_runs(answer.body)
        if kept is None:
            log.warning("ConfigMap %s/%s does not contain run times, and is replaced", self._namespace, self._name)
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
        """The answer, or None if there is none; an error is logged unless it is the same as the last one."""
        answer, trouble = None, ""
        try:
            answer = await request
        except ApiUnavailableError as error:
            trouble = str(error)
        if answer is not None and not answer.is_success and not answer.is_gone_or_changed:
            trouble = answer.message
        if trouble and trouble != self._trouble:
            log.warning("ConfigMap %s/%s can't be %s: %s", self._namespace, self._name, done, trouble)
        self._trouble = trouble
        return answer


def kept_under(lease: str) -> str:
    """The name of the ConfigMap that belongs to the lease of that name."""
    return f"{lease}-run-times"
