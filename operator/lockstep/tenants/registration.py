"""Keeps the APIService pointing to this server, as long as the API server reaches the server."""

import asyncio
import base64
import logging
from pathlib import Path
from typing import NamedTuple

from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.cluster.answers_service import APISERVICE, apiservice_manifest, is_available
from lockstep.api.manifest import Manifest

_PAUSE_SECONDS = 10.0
# If the API server can't reach this server, the server registers again after ever longer pauses: while an unreachable
# server is registered, no namespace can be deleted.
_FIRST_REST_SECONDS = 300.0
_LONGEST_REST_SECONDS = 3600.0
_MANAGER = "lockstep-answers"
_AUTHORITY = "ca.crt"

log = logging.getLogger(__name__)


class OwnService(NamedTuple):
    """The Service that leads to this server.

    The folder ``certificates`` has the authority of its certificate in ``ca.crt``.
    """

    namespace: str
    name: str
    port: int
    certificates: Path


class Registration:
    """Writes the APIService. The operator deletes it if the API server can't reach ``service``."""

    def __init__(self, client: KubeClient, service: OwnService) -> None:
        self._client = client
        self._service = service
        self._was_registered = False
        self._rest = _FIRST_REST_SECONDS
        self._trouble = ""

    async def keep(self) -> None:
        """Write the APIService whenever it does not point to this server; until cancelled."""
        while True:
            seconds = await self.renew()
            await asyncio.sleep(seconds)

    async def renew(self) -> float:
        """Write the APIService unless it points to this server; returns the seconds until the next check."""
        try:
            there = await self._client.get(paths.apiservice(APISERVICE))
            return await self._renew(there)
        except (ApiUnavailableError, OSError) as error:
            self._note(str(error))
            return _PAUSE_SECONDS

    async def _renew(self, there: Answer) -> float:
        if there.is_absence and self._was_registered:
            self._was_registered = False
            rest, self._rest = self._rest, min(_LONGEST_REST_SECONDS, 2 * self._rest)
            self._note(f"it was deleted, since the API server did not reach this server; next try in {rest:.0f} s")
            return rest
        if there.is_success and self._leads_here(there.body):
            self._was_registered = True
            self._rest = _FIRST_REST_SECONDS if is_available(there.body) else self._rest
        else:
            await self._write(there)
        return _PAUSE_SECONDS

    async def _write(self, there: Answer) -> None:
        if not there.is_success and not there.is_absence:
            self._note(there.message)
            return
        answer = await self._client.apply(paths.apiservice(APISERVICE), self._wanted(), manager=_MANAGER)
        self._was_registered = answer.is_success
        self._note("" if answer.is_success else answer.message)

    def _leads_here(self, there: Manifest) -> bool:
        wanted = self._wanted()
        return all(there["spec"].get(field) == wanted["spec"][field] for field in ("service", "caBundle"))

    def _wanted(self) -> Manifest:
        namespace, name, port, certificates = self._service
        authority = base64.b64encode((certificates / _AUTHORITY).read_bytes()).decode()
        return apiservice_manifest(namespace, name, port, authority)

    def _note(self, trouble: str) -> None:
        """Log an error unless it equals the previous one; without an error, log that the APIService points here."""
        if trouble and trouble != self._trouble:
            log.warning("APIService %s does not point to this server: %s", APISERVICE, trouble)
        elif not trouble:
            log.info("APIService %s points to this server", APISERVICE)
        self._trouble = trouble
