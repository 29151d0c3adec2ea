"""Objects of the cluster that can't be parsed: each version is logged once, and counted.

The API server may accept anything. An object that can't be parsed affects only itself. It is treated in the safe way
until it changes or is deleted.
"""

import logging
from collections.abc import Callable, Hashable
from typing import NamedTuple

from coschedule import GangKey
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.logs.fields import about

_SENTENCE = "%s %s can't be read, so Lockstep treats it as %s: %s"

log = logging.getLogger(__name__)


class Version(NamedTuple):
    """One version of one object; ``name`` is its name in messages."""

    resource: str
    key: Hashable
    name: str
    version: str


class ParseFailures:
    """Remembers which version of each object was reported. Each report calls ``count`` with the object's resource."""

    def __init__(self, count: Callable[[str], None]) -> None:
        self._count = count
        self._reported: dict[tuple[str, Hashable], str] = {}

    def report(self, what: Version, problem: Exception, *, counts_as: str) -> None:
        """Report a version that can't be parsed; ``counts_as`` completes "Lockstep treats it as …"."""
        if self._reported.get((what.resource, what.key)) == what.version:
            return
        self._reported[what.resource, what.key] = what.version
        self._count(what.resource)
        gang = about(what.key) if isinstance(what.key, GangKey) else None
        log.error(_SENTENCE, what.resource, what.name, counts_as, describe(problem), extra=gang)

    def clear(self, resource: str, key: Hashable) -> None:
        """Forget an object that is parsed again, or is gone."""
        self._reported.pop((resource, key), None)
