"""One kind of objects: how an object becomes a fact, and what the cache gets if the object can't be parsed."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from lockstep.api.client.answer import Target
from lockstep.api.manifest import Manifest
from lockstep.api.versions import is_older
from lockstep.belief.common.parse_failures import ParseFailures, Version

Fact = TypeVar("Fact")


class Understood(NamedTuple, Generic[Fact]):
    """An object that was parsed, and the fact that it became."""

    manifest: Manifest
    fact: Fact


class NotUnderstood(NamedTuple):
    """An object that could not be parsed, and the error."""

    manifest: Manifest
    problem: Exception


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedKind(Generic[Fact]):
    """A watched kind: how its objects are parsed, and how they change the cache.

    ``key`` must return the same key for an object and for its deletion. ``apply`` and ``remove`` are never called
    concurrently. A watch calls them in the order of its events. Answers to other requests may come in between.

    ``unreadable`` makes the fact of an object that can't be parsed, from its manifest and the error. Without
    ``unreadable``, such an object counts as deleted. ``counts_as`` has the words of the log for this, such as "a gang
    that is refused".

    ``cached`` returns the keys of all cached objects, also of objects that came from another source than a watch. If a
    list lacks a cached object, the object is removed. ``version`` returns the cached version of the object with a key.
    It returns None if the cache lacks the object, or keeps no versions of this kind.

    If a kind ``is_dispensable``, the operator works without it when it may not list the kind. If a kind
    ``may_be_missing``, the operator works without it when the API server does not know the kind.
    """

    target: Target
    key: Callable[[Manifest], Hashable]
    parse: Callable[[Manifest], Fact]
    apply: Callable[[Fact], None]
    remove: Callable[[Any], None]
    parse_failures: ParseFailures
    unreadable: Callable[[Manifest, Exception], Fact] | None = None
    counts_as: str = "absent"
    cached: Callable[[], Iterable[Any]] = tuple
    version: Callable[[Any], str | None] = lambda _: None
    is_dispensable: bool = False
    may_be_missing: bool = False

    def read(self, manifest: Manifest) -> Understood[Fact] | NotUnderstood:
        """Parse an object, and return the fact or the error. The cache does not change.

        Any thread may call this. No content of an object makes it raise an error.
        """
        try:
            return Understood(manifest, self.parse(manifest))
        except Exception as problem:  # noqa: BLE001 - the API server accepts any content
            return NotUnderstood(manifest, problem)

    def take(self, read: Understood[Fact] | NotUnderstood) -> None:
        """Add an object to the cache, or update it there.

        ``unreadable`` says what an object that can't be parsed counts as. Errors are recorded in ``parse_failures`` and
        not raised: an error would end the stream for all other objects.
        """
        if isinstance(read, NotUnderstood):
            return self._treat_as_unreadable(*read)
        try:
            self.apply(read.fact)
        except Exception as problem:  # noqa: BLE001 - as above
            return self._treat_as_unreadable(read.manifest, problem)
        self.parse_failures.clear(self.target.resource, self.key(read.manifest))
        return None

    def accept(self, manifest: Manifest) -> None:
        """Parse an object at once, and add it to the cache or update it there."""
        self.take(self.read(manifest))

    def drop(self, key: Hashable) -> None:
        """Remove the object with that key from the cache. Errors are recorded in ``parse_failures``, and not raised."""
        self.parse_failures.clear(self.target.resource, key)
        try:
            self.remove(key)
        except Exception as problem:  # noqa: BLE001 - as above
            gone = Version(self.target.resource, key, str(key), "gone")
            self.parse_failures.report(gone, problem, counts_as="still present")

    def drop_if_set_back(self, key: Hashable, version: str, *, was: str | None) -> None:
        """Remove the object from the cache if the API server was restored and now has an older ``version`` of it.

        A list has this version. ``was`` is the version that the cache had before the list began. If the cache still has
        it, the API server was restored to an earlier state. Otherwise, the cached object may be newer than the list,
        and stays.
        """
        known = self.version(key)
        if known is not None and known == was and is_older(version, known):
            self.drop(key)

    def _treat_as_unreadable(self, manifest: Manifest, problem: Exception) -> None:
        self.parse_failures.report(self._version(manifest), problem, counts_as=self.counts_as)
        try:
            if self.unreadable is None:
                self.remove(self.key(manifest))
            else:
                self.apply(self.unreadable(manifest, problem))
        except Exception as second:  # noqa: BLE001 - as above
            self.parse_failures.report(self._version(manifest, "as such"), second, counts_as="unchanged")

    def _version(self, manifest: Manifest, mark: str = "") -> Version:
        metadata = manifest["metadata"]
        name = "/".join(filter(None, (metadata.get("namespace"), metadata["name"])))
        return Version(self.target.resource, self.key(manifest), name, metadata["resourceVersion"] + mark)
