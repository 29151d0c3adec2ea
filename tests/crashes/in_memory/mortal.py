"""An operator on a fake API server that is killed at chosen writes. Another process follows each time.

What a process has read dies with it, so a process that is killed at a read leaves what it left after its last write.
"""

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from fake_cluster.api import ANSWER_LOST, NEVER_ARRIVED, Refusal
from fake_cluster.rig import end, running_operator
from live.proxy import Moment

# It is sent as a creation, and creates nothing.
_REVIEW = "selfsubjectaccessreviews"


class Death(NamedTuple):
    """The write, counted from the start of its process, at which a process is killed."""

    number: int
    moment: Moment


class MortalOperator:
    """Processes of the operator, one after the other. The n-th of them dies by the n-th of ``deaths``.

    ``trouble`` is asked for what else is to go wrong with a request. ``died_at`` has the writes at which processes were
    killed, and ``written`` those of the present process. ``parts`` are those of that process, once it watches.
    """

    def __init__(self, api, sources, deaths, trouble=lambda _: None):
        self._api = api
        self._sources = sources
        self._deaths = list(deaths)
        self._trouble = trouble
        self._has_died = asyncio.Event()
        self.died_at = []
        self.written = []
        self.parts = None

    @asynccontextmanager
    async def running(self):
        """Run one process after the other."""
        self._api.fault = self._fault
        task = asyncio.create_task(self._run())
        try:
            yield self
        finally:
            await end([task])
            if not task.cancelled():
                task.result()

    async def _run(self):
        while True:
            await self._live()

    async def _live(self):
        """Run one process until it is killed."""
        self.written = []
        self._has_died.clear()
        process, death = asyncio.create_task(self._process()), asyncio.create_task(self._has_died.wait())
        try:
            await asyncio.wait((process, death), return_when=asyncio.FIRST_COMPLETED)
            if process.done():
                process.result()
        finally:
            await end([process, death])
            self.parts = None

    async def _process(self):
        async with running_operator(self._api, sources=self._sources) as parts:
            self.parts = parts
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

    def _fault(self, request):
        if self._has_died.is_set():
            return NEVER_ARRIVED
        trouble = self._trouble(request)
        if not request.is_write or request.resource == _REVIEW:
            return trouble
        self.written.append(request)
        if not self._deaths or len(self.written) != self._deaths[0].number:
            return trouble
        self.died_at.append(request)
        self._has_died.set()
        is_done = self._deaths.pop(0).moment is Moment.AFTER and not isinstance(trouble, Refusal)
        return ANSWER_LOST if is_done else NEVER_ARRIVED
