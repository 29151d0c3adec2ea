"""Publishes the leader's options that affect plans, so that commands that explain its plans use the same options."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping

from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.cluster.published_settings import parse_published, published_under, settings_manifest
from lockstep.facts.gang.source import Source
from lockstep.process.election.elector import ElectionTerms
from lockstep.process.stores.settings import Settings

_PAUSE_SECONDS = 10.0

log = logging.getLogger(__name__)


def published(settings: Settings, yielding: Collection[Source]) -> dict[str, str]:
    """The options that affect plans, formatted as on the command line. None of them is confidential.

    ``yielding`` are the sources whose Gangs may be preempted: the operator may suspend the owners of their pods.
    """
    return {
        "keep-nodes-free-for": _seconds(settings.keep_nodes_free_for),
        "keep-nodes-free-gangs": str(settings.keep_nodes_free_gangs),
        "sizing": settings.sizing.value,
        "price-factor": repr(settings.price_factor),
        "promises": settings.promises.value,
        "run-time-quantile": repr(settings.run_time_quantile),
        "node-selector": ",".join(f"{key}={value}" for key, value in settings.node_selector),
        "pool-taint": " ".join(taint.formatted for taint in settings.pool_taint),
        "gate-image": settings.gate_image,
        "sources": ",".join(sorted(settings.sources)),
        "yielding": ",".join(sorted(yielding)),
        "fair-shares": str(settings.fair_shares).lower(),
    }


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}".rstrip("0").rstrip(".") + "s"


class SettingsStore:
    """Publishes the settings in one ConfigMap in the lease's namespace. Only the leader writes it.

    No error affects a gang.

    ``settings`` returns the settings to publish; they may change.
    """

    def __init__(self, client: KubeClient, terms: ElectionTerms, settings: Callable[[], Mapping[str, str]]) -> None:
        self._client = client
        self._settings = settings
        self._namespace, self._name = terms.namespace, published_under(terms.name)
        self._trouble = ""

    async def keep_published(self) -> None:
        """Publish the settings whenever they change, and again after a pause if a write has failed; until cancelled."""
        stands: Mapping[str, str] | None = None
        while True:
            settings = self._settings()
            if settings != stands:
                stands = settings if await self._publish(settings) else None
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _publish(self, settings: Mapping[str, str]) -> bool:
        """Write the settings unless the ConfigMap already has them; returns whether it has them now."""
        try:
            there = await self._client.get(paths.config_map(self._namespace, self._name))
            has_them = there.is_success and parse_published(there.body) == settings
            answer = there if has_them else await self._write(there, settings)
        except ApiUnavailableError as error:
            self._note(str(error))
            return False
        self._note("" if answer.is_success else answer.message)
        return answer.is_success

    async def _write(self, there: Answer, settings: Mapping[str, str]) -> Answer:
        if there.is_absence:
            body = settings_manifest(self._namespace, self._name, settings, version="")
            return await self._client.create(paths.config_maps_of(self._namespace), body)
        if not there.is_success:
            return there
        version = there.body["metadata"]["resourceVersion"]
        body = settings_manifest(self._namespace, self._name, settings, version=version)
        return await self._client.replace(paths.config_map(self._namespace, self._name), body)

    def _note(self, trouble: str) -> None:
        """Log an error, unless it is the same as the last one."""
        if trouble and trouble != self._trouble:
            where = f"{self._namespace}/{self._name}"
            log.warning("the settings can't be published in ConfigMap %s: %s", where, trouble)
        self._trouble = trouble
