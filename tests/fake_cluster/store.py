"""What a fake API server remembers: objects, their versions, and the events that watches see."""

import asyncio
import itertools
from typing import NamedTuple

import orjson

from lockstep.api.quantities import rfc3339


class Place(NamedTuple):
    """Where an object is: its resource, its namespace ('' where it has none), its name."""

    resource: str
    namespace: str
    name: str


class Recorded(NamedTuple):
    """One event of the past."""

    version: int
    resource: str
    event: dict


class Store:
    """Objects by place. Every change has a version of its own, and each reader gets a copy.

    Watches hear nothing of changes of the resources that are ``silent``.
    """

    def __init__(self, now):
        self._now = now
        self._objects = {}
        self._versions = itertools.count(100)
        self._watchers = []
        self.past = []
        self.silent = set()
        self.version = next(self._versions)

    def objects(self, resource, namespace=""):
        """All objects of a resource, of one namespace where it is given."""
        return [
            _copy(it)
            for place, it in sorted(self._objects.items())
            if place.resource == resource and namespace in ("", place.namespace)
        ]

    def get(self, place):
        """The object there, or None."""
        return _copy(self._objects.get(place))

    def add(self, resource, *manifests):
        """Create objects as another client would; returns the last one."""
        return [self.create(resource, manifest) for manifest in manifests][-1]

    def create(self, resource, manifest):
        """Create one object; the server's part of the metadata is filled in."""
        manifest = _copy(manifest)
        metadata = manifest["metadata"]
        place = Place(resource, metadata.get("namespace", ""), metadata["name"])
        assert place not in self._objects, f"{place} is there already"
        metadata.setdefault("creationTimestamp", rfc3339(self._now()))
        metadata["uid"] = metadata.get("uid") or f"uid-{self.version}"
        return self._enter("ADDED", place, manifest)

    def change(self, place, **parts):
        """Replace parts of an object: ``metadata``, ``spec`` and ``status`` are merged one level deep."""
        manifest = self.get(place)
        for part, fields in parts.items():
            manifest[part] = {**manifest.get(part, {}), **fields}
        return self.replace(place, manifest)

    def annotate(self, place, annotations):
        """Change these annotations of an object and leave the others; None removes one."""
        merged = {**(self.get(place)["metadata"].get("annotations") or {}), **annotations}
        left = {name: text for name, text in merged.items() if text is not None}
        return self.change(place, metadata={"annotations": left})

    def replace(self, place, manifest):
        """Put a newer version in an object's place."""
        return self._enter("MODIFIED", place, manifest)

    def remove(self, place):
        """Delete an object; returns it as it was last."""
        manifest = self._objects.pop(place)
        manifest["metadata"]["resourceVersion"] = str(self._tick())
        self._notify("DELETED", place.resource, manifest)
        return manifest

    def watch(self, resource, version):
        """A queue of the events after ``version``; the caller gives it back to ``unwatch``."""
        queue = asyncio.Queue()
        for recorded in self.past:
            if recorded.resource == resource and recorded.version > version:
                queue.put_nowait(recorded.event)
        self._watchers.append((resource, queue))
        return queue

    def unwatch(self, queue):
        """That queue is not read any more."""
        self._watchers = [watcher for watcher in self._watchers if watcher[1] is not queue]

    def expire(self):
        """Answer every watch that its version is too old: it has to list again."""
        for _, queue in self._watchers:
            queue.put_nowait({"type": "ERROR", "object": {"code": 410, "message": "too old resource version"}})

    def put_bookmarks(self):
        """Every watcher learns the newest version."""
        for _, queue in self._watchers:
            queue.put_nowait({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": str(self.version)}}})

    def end_watches(self):
        """Every watcher gets None: its stream is to end."""
        for _, queue in self._watchers:
            queue.put_nowait(None)

    def _enter(self, kind, place, manifest):
        manifest["metadata"]["resourceVersion"] = str(self._tick())
        self._objects[place] = manifest
        self._notify(kind, place.resource, manifest)
        return _copy(manifest)

    def _tick(self):
        self.version = next(self._versions)
        return self.version

    def _notify(self, kind, resource, manifest):
        if resource in self.silent:
            return
        event = {"type": kind, "object": _copy(manifest)}
        self.past.append(Recorded(self.version, resource, event))
        for watched, queue in self._watchers:
            if watched == resource:
                queue.put_nowait(event)


def _copy(manifest):
    """What a reader would get: JSON that is written and read."""
    return orjson.loads(orjson.dumps(manifest))
