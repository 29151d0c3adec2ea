"""Answers that arrive in parts: the lines of a watch, texts such as logs, and lists that may be too large."""

from collections.abc import AsyncIterator

import aiohttp

from lockstep.api.client.answer import Answer, Target, decode_object, unavailable

_LONGEST_LINE = 2**20


async def read_at_most(response: aiohttp.ClientResponse, most_bytes: int | None) -> bytes | None:
    """The whole body; None if it has more than ``most_bytes``. In this case, the rest of the body is not read."""
    if most_bytes is None:
        return await response.read()
    chunks, size = [], 0
    async for chunk in response.content.iter_any():
        chunks.append(chunk)
        size += len(chunk)
        if size > most_bytes:
            response.close()
            return None
    return b"".join(chunks)


class Lines:
    """The lines of a watch as they arrive. A line may have any length."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self.code = response.status
        self._response = response

    async def batches(self) -> AsyncIterator[list[bytes]]:
        """Yield the complete lines of each read.

        A long silence ends the lines, as the end of the watch does: either the connection is dead, or nothing has
        changed. A new watch from the last version misses no event.
        """
        rest = b""
        try:
            async for chunk in self._response.content.iter_any():
                *lines, rest = (rest + chunk).split(b"\n")
                if lines:
                    yield lines
        except aiohttp.SocketTimeoutError as silence:
            # The stream refers to its error, and the error's traceback refers to the stream. If the traceback stayed,
            # neither would be freed.
            silence.__traceback__ = None


class Text:
    """A text as it arrives, or the reason why there is none."""

    def __init__(self, response: aiohttp.ClientResponse, target: Target) -> None:
        self._response = response
        self._target = target

    async def refusal(self) -> str | None:
        """The reason why the API server does not return the text; None if it does. Raises ``ApiUnavailableError``."""
        if self._response.ok:
            return None
        with unavailable(self._target):
            raw = await self._response.read()
        decoded = decode_object(raw)
        return Answer(self._response.status, {} if decoded is None else decoded).message

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield every line without its line break. A line of more than 1 MiB may arrive in parts.

        Raises ``ApiUnavailableError``.
        """
        rest = b""
        chunks = self._response.content.iter_any()
        while True:
            with unavailable(self._target):
                chunk = await anext(chunks, b"")
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line
            if len(rest) > _LONGEST_LINE:
                yield rest
                rest = b""
        if rest:
            yield rest
