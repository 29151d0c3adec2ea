"""Watches GangJobs and NodeBids by kopf: ``on.event`` handlers turn manifests into facts.

kopf only watches: it writes no finalizers, annotations or anything else. Its bookkeeping (last handled state, progress)
is off, since the cache is level-triggered. That also saves deep copies, which are two fifths of kopf's cost for each
event. kopf lists before it watches. kopf gets only the versions of these lists, without objects: otherwise kopf would
decode whole pages, and queue each object. ``own_lists.py`` lists the objects.
"""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

import kopf

from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import observed_session
from lockstep.api.names import BIDS, GANGS, GROUP, VERSION
from lockstep.belief.state import State
from lockstep.watch.kind import WatchedKind
from lockstep.watch.kinds import bids_kind, gangs_kind
from lockstep.watch.large_gangs import LargeGangs
from lockstep.watch.reader import is_large
from lockstep.watch.streams import Streams

# kopf logs in again after this time. Each login reads the token again, which may have been renewed.
_LOGIN_LIFETIME = timedelta(minutes=5)
_LOGIN_PAUSE_SECONDS = 1.0
_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 30.0
# The prefix of the names of kopf's watching tasks.
_WATCHER = "watcher for "

log = logging.getLogger(__name__)


async def watch_own_kinds(state: State, client: KubeClient, streams: Streams, stop: asyncio.Event) -> None:
    """Update ``state`` until ``stop`` is set, and report to ``streams`` which watches are open.

    kopf ends on each error of a stream except an expired version, and on answers that it does not understand. Then this
    function starts kopf again after a pause, and the lists of ``own_lists.py`` cover the gap. It also starts kopf again
    after a restore of the API server: the versions for which kopf waits are then far in the future. kopf uses the
    credentials of ``client``.
    """
    # kopf logs each watch that starts, is refused or fails, with tracebacks. We log one sentence in their place.
    logging.getLogger("kopf").setLevel(logging.CRITICAL)
    asyncio.get_running_loop().set_exception_handler(_report_unless_of_watchers)
    failures = _Failures(streams)
    while not stop.is_set():
        try:
            await _run_kopf(state, client, streams, stop)
        except Exception as error:  # noqa: BLE001 - kopf lets through whatever ended its watch: network, API, JSON
            pause = failures.pause_after(error)
            streams.end_all()
            await _sleep_unless(stop, pause)
        else:
            if not streams.outdated.is_set():
                # kopf handles SIGTERM and SIGINT in our place: if it ends without an error, it was stopped by one of
                # them.
                stop.set()
            streams.outdated.clear()
            streams.end_all()


class _Failures:
    """The failures of kopf: how long to pause after each, and whether to log it.

    The pause doubles with each failure, up to 30 s. If a failure comes while all watches are open, the shortest pause
    follows.
    """

    def __init__(self, streams: Streams) -> None:
        self._streams = streams
        self._pause = _FIRST_PAUSE_SECONDS
        self._logged = ""

    def pause_after(self, error: Exception) -> float:
        """Return the seconds to pause after this failure, and log the failure.

        A failure that equals the last one is logged only if all watches are open.
        """
        # Not its repr(): an error of aiohttp would show the request, and with it our token.
        trouble = f"{type(error).__name__}: {error}"
        if trouble != self._logged or self._streams.all_open:
            log.warning("the watch of GangJobs and NodeBids ended, and starts again: %s", trouble)
        self._logged = trouble
        self._pause = _FIRST_PAUSE_SECONDS if self._streams.all_open else min(2 * self._pause, _LONGEST_PAUSE_SECONDS)
        return self._pause


async def _run_kopf(state: State, client: KubeClient, streams: Streams, stop: asyncio.Event) -> None:
    ending = asyncio.create_task(_until_either(stop, streams.outdated))
    large = LargeGangs(client, gangs_kind(state))
    reading = asyncio.create_task(large.keep_reading())
    try:
        tasks = await kopf.spawn_tasks(
            registry=_registry(state, client, streams, large),
            settings=_settings(),
            clusterwide=True,
            standalone=True,
            stop_flag=ending,
        )
        await kopf.run_tasks(tasks, ignored=_EverybodysTasks())
    finally:
        ending.cancel()
        reading.cancel()


def _report_unless_of_watchers(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report unhandled errors of all tasks but kopf's watches: ``watch_own_kinds`` reports their errors.

    If two watches fail at once, kopf raises only one of the two errors, and the other one is not reported.
    """
    task = context.get("future")
    if not (isinstance(task, asyncio.Task) and task.get_name().startswith(_WATCHER)):
        loop.default_exception_handler(context)


async def _until_either(one: asyncio.Event, other: asyncio.Event) -> None:
    waits = [asyncio.create_task(event.wait()) for event in (one, other)]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


class _EverybodysTasks(frozenset[Any]):
    """A set that contains every task. kopf cancels no task of the set that it gets as ``ignored``.

    On an error, kopf ends its own tasks one by one. Then it would cancel all other tasks that are not in the set,
    including our attempts and cycles.
    """

    def __contains__(self, _: object) -> bool:
        return True


async def _sleep_unless(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()


def _settings() -> kopf.OperatorSettings:
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    settings.scanning.disabled = True
    settings.peering.standalone = True
    settings.networking.request_timeout = 30
    # Otherwise kopf would kill the whole process some time after an error. Here, only kopf is started again.
    settings.process.ultimate_exiting_timeout = None
    settings.persistence.finalizer = f"{GROUP}/operator"
    settings.persistence.diffbase_storage = _NoDiffs()
    settings.persistence.progress_storage = _NoProgress()
    return settings


def _registry(state: State, client: KubeClient, streams: Streams, large: LargeGangs) -> kopf.OperatorRegistry:
    registry = kopf.OperatorRegistry()
    _register_login(registry, client, streams)
    _register_gangs(registry, gangs_kind(state), streams, large)
    _register_bids(registry, bids_kind(state), streams)
    return registry


def _register_login(registry: kopf.OperatorRegistry, client: KubeClient, streams: Streams) -> None:
    login_at = 0.0

    @kopf.on.login(registry=registry)
    async def login(**_: Any) -> kopf.AiohttpSession:
        # If a token is refused, kopf logs in again at once, without limit. So a login waits until a second after the
        # previous login.
        nonlocal login_at
        await asyncio.sleep(login_at - monotonic())
        await client.credentials.accepted()
        login_at = monotonic() + _LOGIN_PAUSE_SECONDS
        return connection(client, streams)


def _register_gangs(
    registry: kopf.OperatorRegistry, gangs: WatchedKind[Any], streams: Streams, large: LargeGangs
) -> None:
    @kopf.on.event(GROUP, VERSION, GANGS, registry=registry)
    async def gang_event(event: Mapping[str, Any], **_: Any) -> None:
        streams.heard(GANGS)
        is_gone = event["type"] == "DELETED"
        if is_gone:
            large.forget(event["object"])
        if not is_gone and is_large(event["object"]):
            large.note(event["object"])
        else:
            _apply_event(gangs, event)


def _register_bids(registry: kopf.OperatorRegistry, bids: WatchedKind[Any], streams: Streams) -> None:
    @kopf.on.event(GROUP, VERSION, BIDS, registry=registry)
    async def bid_event(event: Mapping[str, Any], **_: Any) -> None:
        streams.heard(BIDS)
        # Parsing reads only a few fields of a bid, so a large bid does not need the thread.
        _apply_event(bids, event)


def _apply_event(kind: WatchedKind[Any], event: Mapping[str, Any]) -> None:
    if event["type"] == "DELETED":
        kind.drop(kind.key(event["object"]))
    else:
        kind.accept(event["object"])


def connection(client: KubeClient, streams: Streams) -> kopf.AiohttpSession:
    """The session of kopf, with the credentials of our other requests. It reports kopf's requests to ``streams``."""
    return kopf.AiohttpSession(
        server=client.configuration.host,
        aiohttp_session=observed_session(
            client.configuration, streams.watch_answered, streams.answered, unlisted=(GANGS, BIDS)
        ),
        expiration=datetime.now(UTC) + _LOGIN_LIFETIME,
    )


class _NoDiffs(kopf.DiffBaseStorage):
    """Remembers no last handled state."""

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
