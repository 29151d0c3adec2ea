"""Lists, page by page, as the API server wants long ones to be asked for."""

import gc
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lockstep.api.answer import Target
from lockstep.api.client import KubeClient

PAGE_SIZE = "500"
GONE = 410


class ListError(Exception):
    """A page of a list was refused, with that HTTP code, or is none."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


async def pages(client: KubeClient, target: Target, *, selector: str = "") -> AsyncIterator[Mapping[str, Any]]:
    """Every page of a list, or of what the selector of labels picks from it.

    Raises ``ListError``; code 410 after the first page: the list has expired meanwhile.
    """
    following = ""
    while True:
        asked = {"limit": PAGE_SIZE, "continue": following, "labelSelector": selector}
        params = {name: value for name, value in asked.items() if value}
        # The collector would walk the half-decoded page again and again: three quarters of the time.
        with _collector_off():
            answer = await client.get(target, params)
        if not answer.is_success or "items" not in answer.body:
            raise ListError(answer.code, answer.message)
        yield answer.body
        following = answer.body["metadata"].get("continue", "")
        if not following:
            return


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
