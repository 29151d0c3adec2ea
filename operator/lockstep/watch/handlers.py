"""Watches GangJobs and NodeBids by kopf: ``on.event`` handlers turn manifests into facts.

kopf only watches: it writes no finalizers, annotations or anything else. Its bookkeeping (last handled state, progress)
is off, since the cache is level-triggered. That also saves deep copies, which are two fifths of kopf's cost for each
event. Of kopf's lists, only the version is used, from which it watches. The objects come from ``own_lists.py``, which
lists them when a watch is open: kopf would decode whole pages, and queue each object.
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

# A renewed token is used after the next login.
_LOGIN_LIFETIME = timedelta(minutes=5)
_LOGIN_PAUSE_SECONDS = 1.0
_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 30.0
# The prefix of the names of kopf's watching tasks.
_WATCHER = "watcher for "

log = logging.getLogger(__name__)


async def watch_own_kinds(state: State, client: KubeClient, streams: Streams, stop: asyncio.Event) -> None:
    """Update ``state`` until ``stop`` is set, and report to ``streams`` which watches are open.

    kopf ends on each error of a stream except an expired version, and on answers that it does not understand. Then it
    starts again after a pause, and the lists of ``own_lists.py`` cover the gap. It also starts again if it waits for
    versions that a restored API server will not reach for a long time. It has the credentials of ``client``.
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
    """The failures of kopf. Those that follow before all watches are open again have growing pauses."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams
        self._pause = _FIRST_PAUSE_SECONDS
        self._logged = ""

    def pause_after(self, error: Exception) -> float:
        """The seconds to pause after this failure, which is logged unless it is the same as the last one."""
        # Not its repr(): an error of aiohttp's would show the request, and with it our token.
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
    """Report unhandled errors. If two watches fail at once, kopf raises the error of only one."""
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
    """A set that contains every task, since kopf cancels no tasks in this set.

    On an error, kopf would cancel all tasks that began after it, including our attempts and cycles. It ends its own
    tasks one by one before that.
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
    # Otherwise kopf kills the whole process some time after an error; here it is only restarted.
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
        # kopf logs in again at once when a token is refused, without limit.
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
        # Little of a bid is read, however large it is.
        _apply_event(bids, event)


def _apply_event(kind: WatchedKind[Any], event: Mapping[str, Any]) -> None:
    if event["type"] == "DELETED":
        kind.drop(kind.key(event["object"]))
    else:
        kind.accept(event["object"])


def connection(client: KubeClient, streams: Streams) -> kopf.AiohttpSession:
    """The session of kopf, which has the credentials of our other requests. ``streams`` sees its requests."""
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
