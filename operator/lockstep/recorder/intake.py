"""Moves records from the API into the file: a ConfigMap is deleted after its records are committed."""

import logging
from collections.abc import Callable
from typing import Any

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.records.record_maps import SELECTOR, parse_records
from lockstep.recorder.database import RecordDatabase

_AT_ONCE = 4

log = logging.getLogger(__name__)


class Intake:
    """Moves records from the ConfigMaps of one namespace into the file."""

    def __init__(self, client: KubeClient, namespace: str, now: Callable[[], float]) -> None:
        self._client = client
        self._namespace = namespace
        self._now = now

    async def take(self, database: RecordDatabase) -> str:
        """Store the records of all ConfigMaps, a few at a time; returns why a ConfigMap could not be deleted, or ''.

        A ConfigMap that can't be deleted, such as another client's with our label, does not stop the others. Raises
        ``StorageError``, and ``ApiUnavailableError`` if the API server does not answer or refuses. Records that are not
        stored stay in the API.
        """
        trouble, after = "", ""
        while True:
            params = {"labelSelector": SELECTOR, "limit": str(_AT_ONCE), **({"continue": after} if after else {})}
            answer = await self._client.get(paths.config_maps_of(self._namespace), params)
            if not answer.is_success:
                raise ApiUnavailableError(f"ConfigMaps can't be listed: {answer.message}")
            for manifest in answer.body["items"]:
                self._store(database, manifest)
                trouble = await self._delete(manifest["metadata"]) or trouble
            after = (answer.body.get("metadata") or {}).get("continue") or ""
            if not after:
                return trouble

    def _store(self, database: RecordDatabase, manifest: dict[str, Any]) -> None:
        found = parse_records(manifest)
        database.take_in(found.records, self._now())
        if found.problem:
            log.error("ConfigMap %s has lines that are not records: %s", manifest["metadata"]["name"], found.problem)

    async def _delete(self, metadata: dict[str, Any]) -> str:
        target = paths.config_map(self._namespace, metadata["name"])
        answer = await self._client.delete(target, uid=metadata["uid"])
        is_gone = answer.is_success or answer.is_gone_or_changed
        return "" if is_gone else f"ConfigMap {metadata['name']} can't be removed: {answer.message}"
