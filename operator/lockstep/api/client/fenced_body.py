"""The body of a write, which checks the fence when it is sent."""

import aiohttp
from aiohttp.abc import AbstractStreamWriter

from lockstep.api.client.fence import Fence


class FencedBody(aiohttp.BytesPayload):
    """The body of a write. If the fence is closed, neither the body nor the headers are sent."""

    def __init__(self, value: bytes, fence: Fence) -> None:
        super().__init__(value)
        self._fence = fence
        self.is_handed_over = False

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        """Hand the request to the connection. Raises ``ConnectionAbortedError`` if the fence is closed."""
        if not self._fence.is_open:
            raise ConnectionAbortedError("this process does not lead")
        self.is_handed_over = True
        await super().write_with_length(writer, content_length)
