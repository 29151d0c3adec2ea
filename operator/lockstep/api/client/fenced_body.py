"""The body of a write, which knows whether the write may go out at the moment when it would."""

import aiohttp
from aiohttp.abc import AbstractStreamWriter

from lockstep.api.client.fence import Fence


class FencedBody(aiohttp.BytesPayload):
    """The body of a write, which goes to the connection together with its headers, or not at all."""

    def __init__(self, value: bytes, fence: Fence) -> None:
        super().__init__(value)
        self._fence = fence
        self.is_handed_over = False

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        """Hand the request to the connection; raise ``ConnectionAbortedError`` where no write may go out now."""
        if not self._fence.is_open:
            raise ConnectionAbortedError("this process does not lead")
        self.is_handed_over = True
        await super().write_with_length(writer, content_length)
