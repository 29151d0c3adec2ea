"""Closes the records of gangs that are gone: they ended while no operator led, or the record of their end was lost.

Only gangs without a new record for a while are requested, a few at a time. If the record of the end arrives after all,
it replaces the unknown outcome.
"""

from collections.abc import Callable

from lockstep.api.client import paths
from lockstep.api.client.answer import Answer
from lockstep.api.client.client import KubeClient
from lockstep.recorder.database import OpenGang, RecordDatabase
from lockstep.recorder.schema import recorded_key

_QUIET_SECONDS = 600.0
_AT_ONCE = 20


class GoneGangs:
    """Requests from the API server the gangs that have no end on record.

    Gangs that the API server refuses to show are requested again later, so that they do not delay the others for ever.
    """

    def __init__(self, client: KubeClient, now: Callable[[], float]) -> None:
        self._client = client
        self._now = now
        self._refused_at: dict[str, float] = {}

    async def close(self, database: RecordDatabase) -> None:
        """Close the records of gangs that are gone. Raises ``StorageError`` and ``ApiUnavailableError``."""
        now = self._now()
        for gang in self._due(database, now):
            answer = await self._client.get(paths.gang(recorded_key(gang.kind, gang.namespace, gang.name)))
            if _is_there(gang, answer):
                database.mark_there(gang.uid, now)
            elif answer.is_success or answer.is_absence:
                database.mark_gone(gang.uid, now)
            else:
                self._refused_at[gang.uid] = now

    def _due(self, database: RecordDatabase, now: float) -> list[OpenGang]:
        self._refused_at = {uid: at for uid, at in self._refused_at.items() if 0.0 <= now - at < _QUIET_SECONDS}
        most = _AT_ONCE + len(self._refused_at)
        gangs = database.open_gangs(checked_before=now - _QUIET_SECONDS, most=most)
        return [gang for gang in gangs if gang.uid not in self._refused_at][:_AT_ONCE]


def _is_there(gang: OpenGang, answer: Answer) -> bool:
    return answer.is_success and answer.body["metadata"]["uid"] == gang.uid
