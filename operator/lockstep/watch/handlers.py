"""GangJobs and NodeBids, watched by kopf: thin ``on.event`` handlers that turn manifests into facts.

No finalizers, no annotations, no writes: kopf only watches. Its own bookkeeping (what was handled last, progress) is
off, since a scheduler's belief is level-based; that also saves the deep copies which are two fifths of kopf's cost per
event.
"""

import asyncio
import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import kopf

from lockstep.kube import Configuration
from lockstep.names import BIDS, GANGS, GROUP, VERSION
from lockstep.state import State
from lockstep.watch.own_kinds import apply_bid, apply_gang, remove_bid, remove_gang

# A rotated token is picked up by logging in anew.
_LOGIN_LIFETIME = timedelta(minutes=5)
_LIST_PAGE = 500
_EXIT_SECONDS = 10.0


class WatchEndedError(Exception):
    """kopf has given up: nothing would be heard of gangs any more, so the process must end and be started again."""


async def watch_own_kinds(state: State, configuration: Configuration, stop: asyncio.Event) -> None:
    """Feed ``state`` until ``stop`` is set. Raises ``WatchEndedError`` where kopf gives up before."""
    # kopf reports each watch that starts or ends; ours is told by metrics.
    logging.getLogger("kopf").setLevel(logging.WARNING)
    try:
        await kopf.operator(
            registry=_registry(state, configuration),
            settings=_settings(),
            clusterwide=True,
            standalone=True,
            stop_flag=stop,
        )
    except Exception as error:
        # kopf lets through whatever ended its watch: errors of the network, of the API, of JSON.
        raise WatchEndedError(f"kopf stopped watching GangJobs and NodeBids: {error!r}") from error
    # kopf listens to SIGTERM and SIGINT too, in our place: where it ends without an error, it was told to.
    stop.set()


def _settings() -> kopf.OperatorSettings:
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    settings.scanning.disabled = True
    settings.peering.standalone = True
    settings.watching.chunk_size = _LIST_PAGE
    settings.networking.request_timeout = 30
    settings.process.ultimate_exiting_timeout = _EXIT_SECONDS
    settings.persistence.finalizer = f"{GROUP}/operator"
    settings.persistence.diffbase_storage = _NoDiffs()
    settings.persistence.progress_storage = _NoProgress()
    return settings


def _registry(state: State, configuration: Configuration) -> kopf.OperatorRegistry:
    registry = kopf.OperatorRegistry()

    @kopf.on.login(registry=registry)
    def login(**_: Any) -> kopf.ConnectionInfo:
        return connection(configuration)

    @kopf.on.event(GROUP, VERSION, GANGS, registry=registry)
    async def gang_event(event: Mapping[str, Any], **_: Any) -> None:
        change = remove_gang if event["type"] == "DELETED" else apply_gang
        change(state, event["object"])

    @kopf.on.event(GROUP, VERSION, BIDS, registry=registry)
    async def bid_event(event: Mapping[str, Any], **_: Any) -> None:
        change = remove_bid if event["type"] == "DELETED" else apply_bid
        change(state, event["object"])

    return registry


def connection(configuration: Configuration) -> kopf.ConnectionInfo:
    """Where and how kopf logs in: as every other request of ours does."""
    token = configuration.get_api_key_with_prefix("BearerToken", alias="authorization")
    return kopf.ConnectionInfo(
        server=configuration.host,
        ca_path=configuration.ssl_ca_cert,
        insecure=not configuration.verify_ssl,
        token=token.split(" ", 1)[-1] if token else None,
        certificate_path=configuration.cert_file,
        private_key_path=configuration.key_file,
        expiration=datetime.now(UTC) + _LOGIN_LIFETIME if token else None,
    )


class _NoDiffs(kopf.DiffBaseStorage):
    """Remembers nothing of what was handled last."""

    def build(self, **_: Any) -> Any:
        return {}

    def fetch(self, **_: Any) -> None:
        return None

    def store(self, **_: Any) -> None:
        return None


class _NoProgress(kopf.ProgressStorage):
    """Keeps no progress of handlers: ours have none."""

    def fetch(self, **_: Any) -> None:
        return None

    def store(self, **_: Any) -> None:
        return None

    def purge(self, **_: Any) -> None:
        return None

    def touch(self, **_: Any) -> None:
        return None

    def clear(self, *, essence: Any) -> Any:
        return essence
