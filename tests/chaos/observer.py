"""A watch of its own, past the proxy: every event of what a walk is about, in the order in which they happened."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import aiohttp
import orjson

from builders.manifests import API_VERSION, bid, gang, member_container
from chaos.invariants import GAP, LISTED, Invariants
from chaos.world import BIDS, CORE, GANGS, JOBS, MARKER, NODES, POD_GANGS, World
from eventually import eventually
from live.background import Background
from lockstep.api.client.configuration import load_configuration, tls_context
from sandbox import Node

if TYPE_CHECKING:
    from concurrent.futures import Future

PATHS = {
    "pods": f"{CORE}/pods",
    "gangjobs": GANGS,
    "gangs": POD_GANGS,
    "jobs": JOBS,
    "nodes": NODES,
    "nodebids": BIDS,
}
MARKERS = {kind: f"{path}/{MARKER}" for kind, path in PATHS.items()}
PAUSE_SECONDS = 0.2


class Event(NamedTuple):
    """One event. Versions of all kinds are numbers of one sequence."""

    version: int
    kind: str
    what: str
    manifest: Mapping[str, Any]


class Observer:
    """Sees everything, and asks the invariants after each event."""

    def __init__(self, world: World, background: Background, invariants: Invariants) -> None:
        self._world = world
        self._background = background
        self._invariants = invariants
        self._events: list[Event] = []
        self._seen_to = dict.fromkeys(PATHS, 0)
        self._there: dict[str, dict[str, Mapping[str, Any]]] = {kind: {} for kind in PATHS}
        self._number = 0
        self._watches: list[Future[None]] = []

    def start(self) -> None:
        """Make the markers and watch."""
        self._world.api.create_nodes([Node(name=MARKER)])
        self._world.api.request("PATCH", MARKERS["nodes"], {"spec": {"unschedulable": True}})
        self._world.api.request("POST", BIDS, bid(MARKER))
        nowhere = {"nodeSelector": {"nowhere": "yes"}}
        self._world.submit(gang(MARKER, pod=nowhere))
        pod = {"schedulerName": "nobody", "restartPolicy": "Never", "containers": [member_container()]}
        markers = {
            "pods": {"kind": "Pod", "apiVersion": "v1", "spec": pod},
            "gangs": {"kind": "Gang", "apiVersion": API_VERSION, "spec": {"size": {"min": 1}}},
            "jobs": {"kind": "Job", "apiVersion": "batch/v1", "spec": {"suspend": True, "template": {"spec": pod}}},
        }
        for kind, marker in markers.items():
            self._world.api.request("POST", PATHS[kind], {**marker, "metadata": {"name": MARKER}})
        self._watches = [self._background.start(self._follow(kind)) for kind in PATHS]

    def stop(self) -> None:
        """Watch no more."""
        for watch in self._watches:
            watch.cancel()

    def check(self) -> None:
        """Check everything that has happened up to now, event by event."""
        versions = self._touch_markers()
        eventually(lambda: all(self._seen_to[kind] >= version for kind, version in versions.items()))
        newest = min(versions.values())
        due = sorted(self._take(newest), key=lambda event: event.version)
        for event in due:
            self._invariants.note(event.kind, event.what, event.manifest)

    def _take(self, newest: int) -> list[Event]:
        """Everything up to that version; every watch has passed it."""
        events, self._events = self._events, []
        self._events += [event for event in events if event.version > newest]
        return [event for event in events if event.version <= newest]

    def _touch_markers(self) -> dict[str, int]:
        """Change the markers: once a watch shows them so, it has shown all that came before."""
        self._number += 1
        patch = {"metadata": {"annotations": {"look": str(self._number)}}}
        answers = {kind: self._world.api.request("PATCH", path, patch) for kind, path in MARKERS.items()}
        return {kind: int(answer["metadata"]["resourceVersion"]) for kind, answer in answers.items()}

    def _hear(self, kind: str, what: str, manifest: Mapping[str, Any]) -> None:
        version = int(manifest["metadata"]["resourceVersion"])
        if what != "BOOKMARK" and manifest["metadata"]["name"] != MARKER:
            self._events.append(Event(version, kind, what, manifest))
            self._there[kind].pop(manifest["metadata"]["uid"], None)
            if what != "DELETED":
                self._there[kind][manifest["metadata"]["uid"]] = manifest
        self._seen_to[kind] = max(self._seen_to[kind], version)

    def _hear_list(self, kind: str, listed: Mapping[str, Any]) -> None:
        """What a list says beyond what was seen: a new API server has no events of its predecessor's."""
        version = int(listed["metadata"]["resourceVersion"])
        before = self._seen_to[kind]
        self._events.append(Event(before, kind, GAP, listed))
        there = {one["metadata"]["uid"] for one in listed["items"]}
        for uid, one in list(self._there[kind].items()):
            if uid not in there:
                metadata = {**one["metadata"], "resourceVersion": str(version)}
                self._hear(kind, "DELETED", {**one, "metadata": metadata})
        for one in listed["items"]:
            if int(one["metadata"]["resourceVersion"]) > before:
                self._hear(kind, LISTED, one)
        self._seen_to[kind] = max(self._seen_to[kind], version)

    async def _follow(self, kind: str) -> None:
        configuration = load_configuration(kubeconfig=str(self._world.api.kubeconfig), context=None)
        connector = aiohttp.TCPConnector(ssl=tls_context(configuration))
        timeout = aiohttp.ClientTimeout(total=None)
        url = self._world.api.server + PATHS[kind]
        async with aiohttp.ClientSession(
            connector=connector, timeout=timeout, read_bufsize=2**22, raise_for_status=True
        ) as session:
            while True:
                with suppress(aiohttp.ClientError, OSError):
                    async with session.get(url) as answer:
                        self._hear_list(kind, await answer.json())
                    await self._watch(kind, session, url)
                await asyncio.sleep(PAUSE_SECONDS)

    async def _watch(self, kind: str, session: aiohttp.ClientSession, url: str) -> None:
        params = {"watch": "true", "resourceVersion": str(self._seen_to[kind])}
        async with session.get(url, params=params) as answer:
            async for line in answer.content:
                # What is torn was cut off with its API server.
                event = orjson.loads(line) if line.endswith(b"\n") else {"type": "ERROR"}
                if event["type"] == "ERROR":
                    return
                self._hear(kind, event["type"], event["object"])
