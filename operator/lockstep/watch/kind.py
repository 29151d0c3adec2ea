"""One kind of objects: how each becomes a fact, or what it counts as where it can't be understood."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lockstep.api.client.answer import Target
from lockstep.belief.common.parse_failures import ParseFailures, Version

Fact = TypeVar("Fact")
Manifest = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedKind(Generic[Fact]):
    """What is watched, and what is done with it.

    ``key`` must be the same for the manifest of an object and that of its deletion. ``apply`` and ``remove`` are
    called in the order of the API server's events, never both at once. ``doubtful`` gives the fact that an object
    counts as which can't be understood, from its manifest and what was wrong; without one such an object counts as not
    being there. ``counts_as`` says the same in words. ``believed`` are the keys of all that is believed, also what did
    not come by a watch: a list that does not have it ends that belief too. ``version`` says which version of the object
    of that key is believed, where belief keeps it.
    """

    target: Target
    key: Callable[[Manifest], Hashable]
    parse: Callable[[Manifest], Fact]
    apply: Callable[[Fact], None]
    remove: Callable[[Any], None]
    parse_failures: ParseFailures
    doubtful: Callable[[Manifest, Exception], Fact] | None = None
    counts_as: str = "not being there"
    believed: Callable[[], Iterable[Any]] = tuple
    version: Callable[[Any], str | None] = lambda _: None

    def believe(self, manifest: Manifest) -> None:
        """An object is there, or has changed. Nothing that it holds raises: it would cost all others of the stream."""
        key = self.key(manifest)
        try:
            self.apply(self.parse(manifest))
        except Exception as problem:  # noqa: BLE001 - whatever was accepted is data
            self.parse_failures.report(self._version(manifest), problem, counts_as=self.counts_as)
            self._believe_the_safe_thing(manifest, problem)
        else:
            self.parse_failures.clear(self.target.resource, key)

    def drop(self, key: Hashable) -> None:
        """An object is gone."""
        self.parse_failures.clear(self.target.resource, key)
        try:
            self.remove(key)
        except Exception as problem:  # noqa: BLE001 - as above
            gone = Version(self.target.resource, key, str(key), "gone")
            self.parse_failures.report(gone, problem, counts_as="being there still")

    def _believe_the_safe_thing(self, manifest: Manifest, problem: Exception) -> None:
        try:
            if self.doubtful is None:
                self.remove(self.key(manifest))
            else:
                self.apply(self.doubtful(manifest, problem))
        except Exception as second:  # noqa: BLE001 - as above
            self.parse_failures.report(self._version(manifest, "as such"), second, counts_as="what it was before")

    def _version(self, manifest: Manifest, mark: str = "") -> Version:
        metadata = manifest["metadata"]
        name = "/".join(filter(None, (metadata.get("namespace"), metadata["name"])))
        return Version(self.target.resource, self.key(manifest), name, metadata["resourceVersion"] + mark)
