"""What could not be understood of the cluster's objects: said once for each version, and counted.

Whatever the API server accepts is data. An object that makes no sense to us costs that object only, and counts as the
safe thing until it changes or goes.
"""

import logging
from collections.abc import Callable, Hashable
from typing import NamedTuple

from coschedule import GangKey
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.logs.fields import about

_SENTENCE = "%s %s can't be understood, and counts as %s: %s"

log = logging.getLogger(__name__)


class Version(NamedTuple):
    """One version of one object; ``name`` is how people call it."""

    resource: str
    key: Hashable
    name: str
    version: str


class Doubts:
    """Remembers which version of which object was said to be not understood; ``count`` is told its resource."""

    def __init__(self, count: Callable[[str], None]) -> None:
        self._count = count
        self._said: dict[tuple[str, Hashable], str] = {}

    def say(self, what: Version, problem: Exception, *, counts_as: str) -> None:
        """A version can't be understood; ``counts_as`` completes "it counts as …"."""
        if self._said.get((what.resource, what.key)) == what.version:
            return
        self._said[what.resource, what.key] = what.version
        self._count(what.resource)
        gang = about(what.key) if isinstance(what.key, GangKey) else None
        log.error(_SENTENCE, what.resource, what.name, counts_as, describe(problem), extra=gang)

    def settle(self, resource: str, key: Hashable) -> None:
        """The object is understood, or gone."""
        self._said.pop((resource, key), None)
