"""Reads lists page by page, as the API server recommends for long lists."""

import gc
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lockstep.api.client.answer import Answer, Target
from lockstep.api.client.client import KubeClient
from lockstep.watch.page_size import LARGEST_ANSWER_BYTES, PageSize


class ListError(Exception):
    """A page of a list was refused with that HTTP code, or is invalid."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


async def pages(client: KubeClient, target: Target, *, selector: str = "") -> AsyncIterator[Mapping[str, Any]]:
    """Yield every page of a list, or of the listed objects that a label selector matches.

    A page is emptied when the next page is read: take facts from it, and keep none of its objects. Raises
    ``ApiUnavailableError``. Raises ``ListError`` for a page that is refused or invalid; code 410 after the first page
    means that the list has expired.
    """
    following, size = "", PageSize()
    while True:
        answer = await _ask(client, target, size, following=following, selector=selector)
        if not answer.is_success or "items" not in answer.body:
            raise ListError(answer.code, answer.message)
        page = answer.body
        del answer
        following = page["metadata"].get("continue", "")
        yield page
        if not following:
            return
        (page["items"] or []).clear()


async def _ask(client: KubeClient, target: Target, size: PageSize, *, following: str, selector: str) -> Answer:
    """The answer with one page, which is requested again with fewer objects if it is too large."""
    while True:
        asked = {"limit": str(size.limit), "continue": following, "labelSelector": selector}
        params = {name: value for name, value in asked.items() if value}
        most = LARGEST_ANSWER_BYTES if size.limit > 1 else None
        # Otherwise the garbage collector would scan the half-decoded page repeatedly. That would take three quarters of
        # the time for decoding.
        with _collector_off():
            answer = await client.get(target, params, most_bytes=most)
        if not answer.is_cut_off:
            size.answered(answer.size)
            return answer
        size.cut_off()


@contextmanager
def _collector_off() -> Iterator[None]:
    """Keep the cyclic garbage collector from running inside the block."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
