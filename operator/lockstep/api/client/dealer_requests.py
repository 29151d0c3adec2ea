"""Requests to dealers in members' pods. Dealers are not trusted, so all their answers are bounded."""

from http import HTTPStatus
from typing import Self

import aiohttp

from lockstep.api.client.instance import user_agent
from lockstep.api.client.long_answers import read_at_most
from lockstep.facts.pods.dealer import RANKS_HEADER

_TIMEOUT = aiohttp.ClientTimeout(total=3.0)


class DealerClient:
    """Reads the states of pieces from dealers, without the operator's credentials. Use it as an async context manager.

    Each connection is closed after its answer. The caller must bound the number of concurrent requests. If this class
    did so, the timeout of a request would also count the time in which the request waits for other ones.
    """

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Open the session."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, force_close=True),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": user_agent()},
            timeout=_TIMEOUT,
            trust_env=False,
            auto_decompress=False,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the session and its connections."""
        assert self._session is not None
        await self._session.close()

    async def states(self, url: str, key: str, *, most_bytes: int, ranks: str = "") -> bytes | None:
        """Read the states at that URL with the key; None for no answer, a refusal, or more than ``most_bytes``.

        ``ranks`` are the ranks of all members, as in a status; '' if they are unknown.
        """
        assert self._session is not None
        headers = {"Authorization": f"Bearer {key}"} | ({RANKS_HEADER: ranks} if ranks else {})
        try:
            async with self._session.get(url, headers=headers, allow_redirects=False) as answer:
                return await read_at_most(answer, most_bytes) if answer.status == HTTPStatus.OK else None
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
            return None
