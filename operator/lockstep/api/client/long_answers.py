"""Answers that come in bit by bit: the lines of a watch, texts such as logs, and lists that may be too large."""

from collections.abc import AsyncIterator

import aiohttp

from lockstep.api.client.answer import Answer, Target, decode_object, unavailable

_LONGEST_LINE = 2**20


async def read_at_most(response: aiohttp.ClientResponse, most_bytes: int | None) -> bytes | None:
    """The whole body; None where it has more bytes than that, and then it is not read on."""
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
    """The lines of a watch, as they come in. A line may be of any length."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self.code = response.status
        self._response = response

    async def batches(self) -> AsyncIterator[list[bytes]]:
        """Every batch of whole lines that one read brought.

        A long silence ends them as the server does: whoever opens another watch from where this one was misses nothing,
        whether the connection was dead or there was just no news.
        """
        rest = b""
        try:
            async for chunk in self._response.content.iter_any():
                *lines, rest = (rest + chunk).split(b"\n")
                if lines:
                    yield lines
        except aiohttp.SocketTimeoutError as silence:
            # The stream keeps its error, and the error, by where it was raised, the stream: both would stay for good.
            silence.__traceback__ = None


class Text:
    """A text as it comes in, or why there is none."""

    def __init__(self, response: aiohttp.ClientResponse, target: Target) -> None:
        self._response = response
        self._target = target

    async def refusal(self) -> str | None:
        """Why the API server does not show it, None where it does."""
        if self._response.ok:
            return None
        with unavailable(self._target):
            raw = await self._response.read()
        decoded = decode_object(raw)
        return Answer(self._response.status, {} if decoded is None else decoded).message

    async def lines(self) -> AsyncIterator[bytes]:
        """Every line without its end; one that is longer than 1 MiB comes in parts."""
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
