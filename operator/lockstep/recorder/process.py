"""Runs the recorder. At intervals it stores new records, removes old ones, and closes records of gangs that are gone.

After an error it tries again later. Records wait in the API meanwhile, and no gang waits for them.
"""

import asyncio
import logging
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from time import time

from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import Configuration
from lockstep.process.start.side_by_side import until_first_ends
from lockstep.recorder.database import BrokenFileError, RecordDatabase, Retention, StorageError
from lockstep.recorder.gone import GoneGangs
from lockstep.recorder.intake import Intake
from lockstep.recorder.serving import RecorderAddress, answering

_PAUSE_SECONDS = 5.0
_LONGEST_PAUSE_SECONDS = 60.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecorderSettings:
    """The namespace with the records, the file for them, how long they are kept, and where the recorder answers.

    Without an ``address``, the recorder listens on no port.
    """

    namespace: str
    path: Path
    retention: Retention
    address: RecorderAddress | None = None


async def keep_recording(configuration: Configuration, settings: RecorderSettings) -> None:
    """Record until SIGTERM or SIGINT. Raises ``StartError`` if the recorder can't listen."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        if settings.address is not None:
            await stack.enter_async_context(answering(settings.address, settings.path, time))
        client = await stack.enter_async_context(KubeClient(configuration, concurrency=1, observer=lambda *_: None))
        recorder = Recorder(client, settings, time)
        try:
            await until_first_ends(stop, recorder.keep())
        finally:
            recorder.close()


class Recorder:
    """Repeats the work of the recorder in rounds."""

    def __init__(self, client: KubeClient, settings: RecorderSettings, now: Callable[[], float]) -> None:
        self._settings = settings
        self._now = now
        self._intake = Intake(client, settings.namespace, now)
        self._gone = GoneGangs(client, now)
        self._database: RecordDatabase | None = None
        self._trouble = ""

    async def keep(self) -> None:
        """Do one round after the other until cancelled; the pause between them grows while they fail."""
        pause = _PAUSE_SECONDS
        while True:
            is_done = await self.round()
            pause = _PAUSE_SECONDS if is_done else min(2 * pause, _LONGEST_PAUSE_SECONDS)
            await asyncio.sleep(pause)

    async def round(self) -> bool:
        """Do one round; returns False if a part of it failed."""
        try:
            database = self._opened()
            trouble = await self._intake.take(database)
            await self._gone.close(database)
            database.remove_old(self._now())
        except (StorageError, ApiUnavailableError) as error:
            if isinstance(error, BrokenFileError):
                self.close()
            self._note(str(error))
            return False
        self._note(trouble)
        return not trouble

    def close(self) -> None:
        """Close the file; the next round opens it again."""
        if self._database is not None:
            self._database.close()
        self._database = None

    def _opened(self) -> RecordDatabase:
        if self._database is None:
            self._database = RecordDatabase.open(self._settings.path, self._settings.retention, self._now())
        return self._database

    def _note(self, trouble: str) -> None:
        """Log an error, unless it is the same as the last one. Log also that an error is over."""
        if trouble and trouble != self._trouble:
            log.error("some records can't be stored now, and wait in ConfigMaps: %s", trouble)
        elif self._trouble and not trouble:
            log.info("records are stored again")
        self._trouble = trouble
