"""Watching pods while a test goes on: every state that an observer could have seen, in order."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import aiohttp

from eventually import DEADLINE_SECONDS, eventually
from live.background import Background
from lockstep.api.client.configuration import load_configuration, tls_context
from sandbox import Sandbox

ENDED = ("Succeeded", "Failed")
_PAUSE_SECONDS = 0.1


class Seen(NamedTuple):
    """A pod as one event showed it; ``cpu`` in milli-CPU."""

    name: str
    uid: str
    version: int
    gang: str
    attempt: int
    node: str
    phase: str
    cpu: int
    is_deleting: bool


class PodWatch:
    """The pods of one namespace, event by event. Every question is answered as of now: the watch catches up first."""

    def __init__(self, api: Sandbox, namespace: str) -> None:
        self.api = api
        self.path = f"/api/v1/namespaces/{namespace}/pods"
        self._now: dict[str, Seen] = {}
        self._gone: set[str] = set()
        self._history: list[Mapping[str, Seen]] = []
        self._ever: dict[str, Seen] = {}
        self._begins_anew = False
        self.listens = False

    def take_list(self, listed: Mapping[str, Any]) -> str:
        """Note what a list says beyond what was seen, for a new API server has no events of its predecessor's.

        Returns the list's version.
        """
        if self._begins_anew:
            self._now, self._gone, self._history, self._ever = {}, set(), [], {}
            self._begins_anew = False
        there = {pod["metadata"]["uid"]: pod for pod in listed["items"]}
        for uid in self._now.keys() - there.keys():
            self._note_gone(uid)
        for uid, pod in there.items():
            if uid not in self._now or self._now[uid].version != int(pod["metadata"]["resourceVersion"]):
                self.take({"type": "ADDED", "object": pod})
        return str(listed["metadata"]["resourceVersion"])

    def begin_anew(self) -> None:
        """The API server is being set back: forget everything that was seen, with the next list."""
        self._begins_anew = True
        self.listens = False

    def _note_gone(self, uid: str) -> None:
        del self._now[uid]
        self._gone.add(uid)
        self._history.append(dict(self._now))

    def take(self, event: Mapping[str, Any]) -> None:
        """Note one event."""
        pod = as_seen(event["object"])
        if event["type"] == "DELETED":
            self._now.pop(pod.uid, None)
            self._gone.add(pod.uid)
        else:
            self._now[pod.uid] = self._ever[pod.uid] = pod
        self._history.append(dict(self._now))

    @property
    def history(self) -> Sequence[Mapping[str, Seen]]:
        """All pods, by UID, after each event."""
        self._catch_up()
        return self._history

    @property
    def ever(self) -> Mapping[str, Seen]:
        """Every pod that there ever was, by UID, as it was last seen."""
        self._catch_up()
        return self._ever

    def bound_at_once(self, gang: str) -> set[int]:
        """Every number of bound members of a gang that was ever seen."""
        return {
            sum(1 for pod in pods.values() if pod.gang == gang and pod.node and not pod.is_deleting)
            for pods in self.history
        }

    def uids(self, gang: str) -> set[str]:
        """Every pod that the gang ever had."""
        return {uid for uid, pod in self.ever.items() if pod.gang == gang}

    def most_committed(self) -> Counter[str]:
        """The most milli-CPU that were ever requested at once, by node."""
        most: Counter[str] = Counter()
        for pods in self.history:
            committed: Counter[str] = Counter()
            for pod in pods.values():
                if pod.node and pod.phase not in ENDED:
                    committed[pod.node] += pod.cpu
            most |= committed
        return most

    def first_bound(self, gang: str) -> int:
        """Which event first showed a bound member of the gang."""
        return next(
            number
            for number, pods in enumerate(self.history)
            if any(pod.gang == gang and pod.node for pod in pods.values())
        )

    def _catch_up(self) -> None:
        """Wait until every pod that is there by now has been seen as it is, or later, and the cache has no other."""
        listed = self.api.request("GET", self.path)
        version = int(listed["metadata"]["resourceVersion"])
        there = {pod.uid: pod.version for pod in map(as_seen, listed["items"])}

        def is_seen() -> bool:
            now = dict(self._now)
            return (
                self.listens
                and all(uid in self._gone or (uid in now and now[uid].version >= there[uid]) for uid in there)
                and all(uid in there or pod.version > version for uid, pod in now.items())
            )

        eventually(is_seen)


def as_seen(manifest: Mapping[str, Any]) -> Seen:
    """What is noted of a pod."""
    metadata, spec = manifest["metadata"], manifest["spec"]
    labels = metadata.get("labels") or {}
    return Seen(
        name=metadata["name"],
        uid=metadata["uid"],
        version=int(metadata["resourceVersion"]),
        gang=labels.get("lockstep.dev/gang", ""),
        attempt=int(labels.get("lockstep.dev/attempt", 0)),
        node=spec.get("nodeName", ""),
        phase=(manifest.get("status") or {}).get("phase", "Pending"),
        cpu=milli_cpu(spec),
        is_deleting="deletionTimestamp" in metadata,
    )


def milli_cpu(spec: Mapping[str, Any]) -> int:
    """What the containers request; the tests write whole CPUs or ``…m``."""
    amounts = [(one.get("resources") or {}).get("requests", {}).get("cpu", "0") for one in spec["containers"]]
    return sum(int(text[:-1]) if text.endswith("m") else 1000 * int(text) for text in amounts)


@contextmanager
def watched_pods(api: Sandbox, namespace: str, background: Background) -> Iterator[PodWatch]:
    """Watch a namespace's pods: those that are there, and what happens from now on."""
    watch = PodWatch(api, namespace)
    listening: Future[None] = Future()
    following = background.start(_follow(watch, listening))
    listening.result(timeout=DEADLINE_SECONDS)
    yield watch
    background.run(_end(following))


async def _follow(watch: PodWatch, listening: Future[None]) -> None:
    configuration = load_configuration(kubeconfig=str(watch.api.kubeconfig), context=None)
    url = watch.api.server + watch.path
    timeout = aiohttp.ClientTimeout(total=None)
    connector = aiohttp.TCPConnector(ssl=tls_context(configuration))
    async with aiohttp.ClientSession(
        connector=connector, timeout=timeout, read_bufsize=2**22, raise_for_status=True
    ) as session:
        while True:
            # An API server that is killed is back soon.
            with suppress(aiohttp.ClientError, OSError):
                await _list_and_watch(watch, listening, session, url)
            watch.listens = False
            await asyncio.sleep(_PAUSE_SECONDS)


async def _list_and_watch(watch: PodWatch, listening: Future[None], session: aiohttp.ClientSession, url: str) -> None:
    async with session.get(url) as answer:
        version = watch.take_list(await answer.json())
    async with session.get(url, params={"watch": "true", "resourceVersion": version}) as answer:
        watch.listens = True
        if not listening.done():
            listening.set_result(None)
        async for line in answer.content:
            # What is torn was cut off with its API server.
            event = json.loads(line) if line.endswith(b"\n") else {"type": "ERROR"}
            if event["type"] == "ERROR":
                return
            watch.take(event)


async def _end(following: Future[None]) -> None:
    following.cancel()
    await asyncio.sleep(0)
