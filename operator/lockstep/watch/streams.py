"""Records which watches of our own kinds are open, from their requests: kopf does not report it."""

import asyncio
from collections.abc import Callable, Iterable
from http import HTTPStatus

from lockstep.api.client.configuration import RequestObserver
from lockstep.api.client.paths import API_GROUP


class Streams:
    """The resources that are being watched now.

    ``changed`` is set whenever a watch opens or ends, since events in between may have been missed. ``opened`` is set
    when a watch opens and all others are open. ``delivered`` is set with the first ``opened``, and stays set.

    ``outdated`` is set when the API server was restored to an earlier state. Such a server no longer knows the version
    from which the watches began. So the watches are open but get no events.

    Call ``heard`` with the resource at each of its events. ``observer`` is called for every answered request.
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

    def watch_answered(self, resource: str, code: int) -> None:
        """Record that a watch was answered with that HTTP code.

        Code 0 means that the watch has ended, and that the next request for it has no answer yet.
        """
        is_open = code == HTTPStatus.OK
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
        """Report an answered request to the observer. Requests for other resources count as discovery."""
        self._observer(verb, resource if resource in self._is_open else API_GROUP.resource, code, seconds)

    def listed(self) -> None:
        """Record that every resource was listed, and that the lists are in the cache."""
        for resource in self._is_open:
            self.heard(resource)

    def end_all(self) -> None:
        """Record that all watches have ended."""
        for resource in self._is_open:
            self.watch_answered(resource, 0)
