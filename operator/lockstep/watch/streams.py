"""Whether the watches of our own kinds deliver, as the requests for them tell: kopf itself does not say."""

import asyncio
from collections.abc import Callable, Iterable

from lockstep.api.client.configuration import RequestObserver
from lockstep.api.client.paths import API_GROUP

_OPEN = 200


class Streams:
    """Which resources are being watched just now.

    ``changed`` is set whenever a watch opens or ends: what happened in between may have been missed. ``opened`` is set
    when the last one opens, and ``delivered`` once all of them have been open at the same time. ``outdated`` is set
    when the API server was set back: watches that go on from a version that it does not know any more are open, and
    say nothing. ``heard`` is to be called with the resource whenever something was said of it. ``observer`` is called
    for every request.
    """

    def __init__(
        self,
        resources: Iterable[str],
        *,
        heard: Callable[[str], None] = lambda _: None,
        observer: RequestObserver = lambda _verb, _resource, _code, _seconds: None,
    ) -> None:
        self._is_open = dict.fromkeys(resources, False)
        self._observer = observer
        self.heard = heard
        self.changed = asyncio.Event()
        self.opened = asyncio.Event()
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
        if is_open:
            self.heard(resource)
        self.changed.set()
        if self.all_open:
            self.opened.set()
            self.delivered.set()

    def answered(self, verb: str, resource: str, code: int, seconds: float) -> None:
        """A request was answered; those for anything but our resources look for what the API server serves."""
        self._observer(verb, resource if resource in self._is_open else API_GROUP.resource, code, seconds)

    def listed(self) -> None:
        """Every resource was listed, and the lists are believed."""
        for resource in self._is_open:
            self.heard(resource)

    def end_all(self) -> None:
        """Whoever watched has given up."""
        for resource in self._is_open:
            self.tell(resource, 0)
