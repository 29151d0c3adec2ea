"""A proxy in front of the API server: for a while it answers 404 with a page of its own to some requests."""

from dataclasses import dataclass
from typing import ClassVar

from fake_cluster.api import Page, Request
from fake_cluster.jumping import now

PAGES = {
    "page in HTML": Page(404, b"<html><body><h1>404 Not Found</h1></body></html>", "text/html"),
    "JSON without a name": Page(404, b'{"code": 404, "message": "no route", "details": {}}', "application/json"),
    "JSON with other details": Page(404, b'{"message": "no route", "details": "no such host"}', "application/json"),
}


@dataclass(slots=True)
class Proxy:
    """Answers with ``page`` to requests of that ``kind``, a verb and a resource; to all requests if it is None.

    It does so for ``SECONDS`` after the first such request, unless the test ends that before.
    """

    page: Page
    kind: tuple | None = None
    began: float | None = None
    answered: int = 0
    SECONDS: ClassVar = 100.0

    def __call__(self, request: Request):
        """The fault of a request."""
        if self.kind is not None and (request.verb, request.resource) != self.kind:
            return None
        self.began = now() if self.began is None else self.began
        if now() - self.began >= self.SECONDS:
            return None
        self.answered += 1
        return self.page
