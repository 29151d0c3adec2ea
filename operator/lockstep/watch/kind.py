"""One kind of objects: how each becomes a fact, and how it counts where it can't be parsed."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from lockstep.api.client.answer import Target
from lockstep.api.manifest import Manifest
from lockstep.belief.common.parse_failures import ParseFailures, Version

Fact = TypeVar("Fact")


class Understood(NamedTuple, Generic[Fact]):
    """The fact that an object was read as."""

    manifest: Manifest
    fact: Fact


class NotUnderstood(NamedTuple):
    """An object that could not be read, and why."""

    manifest: Manifest
    problem: Exception


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedKind(Generic[Fact]):
    """A watched kind, and what is done with its objects.

    ``key`` must be equal for the manifest of an object and that of its deletion. ``apply`` and ``remove`` are called in
    the order of the API server's events, never concurrently. ``unreadable`` returns the fact for an object that can't
    be parsed, from its manifest and the error. Without it, such an object counts as deleted. ``counts_as`` says the
    same in words. ``believed`` returns the keys of all cached objects, including those from other sources than a watch:
    a list without them removes them. ``version`` returns the cached version of the object of that key, where the cache
    keeps it. ``is_dispensable``: if it may not be listed, everything else goes on without it.
    ``may_be_missing``: the same if the API server does not know it.
    """

    target: Target
    key: Callable[[Manifest], Hashable]
    parse: Callable[[Manifest], Fact]
    apply: Callable[[Fact], None]
    remove: Callable[[Any], None]
    parse_failures: ParseFailures
    unreadable: Callable[[Manifest, Exception], Fact] | None = None
    counts_as: str = "absent"
    believed: Callable[[], Iterable[Any]] = tuple
    version: Callable[[Any], str | None] = lambda _: None
    is_dispensable: bool = False
    may_be_missing: bool = False

    def read(self, manifest: Manifest) -> Understood[Fact] | NotUnderstood:
        """Parse an object; the cache does not change. Any thread may do so, and no content of the object raises."""
        try:
            return Understood(manifest, self.parse(manifest))
        except Exception as problem:  # noqa: BLE001 - whatever was accepted is data
            return NotUnderstood(manifest, problem)

    def take(self, read: Understood[Fact] | NotUnderstood) -> None:
        """Add or update an object. Errors in it do not raise, since they would affect all others of the stream."""
        if isinstance(read, NotUnderstood):
            return self._report_and_believe_the_safe_thing(*read)
        try:
            self.apply(read.fact)
        except Exception as problem:  # noqa: BLE001 - as above
            return self._report_and_believe_the_safe_thing(read.manifest, problem)
        self.parse_failures.clear(self.target.resource, self.key(read.manifest))
        return None

    def believe(self, manifest: Manifest) -> None:
        """Parse an object, and add or update it at once."""
        self.take(self.read(manifest))

    def drop(self, key: Hashable) -> None:
        """Remove an object."""
        self.parse_failures.clear(self.target.resource, key)
        try:
            self.remove(key)
        except Exception as problem:  # noqa: BLE001 - as above
            gone = Version(self.target.resource, key, str(key), "gone")
            self.parse_failures.report(gone, problem, counts_as="still present")

    def _report_and_believe_the_safe_thing(self, manifest: Manifest, problem: Exception) -> None:
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
