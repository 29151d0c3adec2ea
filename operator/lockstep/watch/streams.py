"""Whether the watches of our own kinds deliver, as the requests for them tell: kopf itself does not say."""

import asyncio
from collections.abc import Iterable

_OPEN = 200


class Streams:
    """Which resources are being watched just now.

    ``changed`` is set whenever a watch opens or ends: what happened in between may have been missed. ``delivered`` is
    set once all of them have been open at the same time. ``outdated`` is set when the API server was set back: watches
    that go on from a version that it does not know any more are open, and say nothing.
    """

    def __init__(self, resources: Iterable[str]) -> None:
        self._is_open = dict.fromkeys(resources, False)
        self.changed = asyncio.Event()
        self.delivered = asyncio.Event()
        self.outdated = asyncio.Event()

    @property
    def all_open(self) -> bool:
        """Whether every resource is being watched."""
        return all(self._is_open.values())

    def tell(self, resource: str, code: int) -> None:
        """A watch was answered with that HTTP code, or has ended and is not answered yet: code 0."""
        is_open = code == _OPEN
        if self._is_open.get(resource) in (None, is_open):
            return
        self._is_open[resource] = is_open
        self.changed.set()
        if self.all_open:
            self.delivered.set()

    def end_all(self) -> None:
        """Whoever watched has given up."""
        for resource in self._is_open:
            self.tell(resource, 0)
