"""Answers requests of ``lockstep answers``, and of no other client: both sides show certificates of one authority.

Only these two servers have the Secret with this authority. ``lockstep answers`` has reviewed the user before it asks,
so the recorder reviews nothing.
"""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic

import orjson
from aiohttp import web

from lockstep.api.records.history_params import HISTORY_PATH, HistoryQuestionError, parse_scoped
from lockstep.process.pages.certificate import Certificate
from lockstep.process.pages.serving import ServedAt, serve
from lockstep.process.stores.errors import StartError
from lockstep.recorder.history import HistoryError
from lockstep.recorder.tenant_history import TooMuchError, tenant_history

AUTHORITY = "ca.crt"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecorderAddress:
    """The address at which the recorder answers.

    The folder ``certificates`` has the recorder's own certificate, and the certificate of its clients' authority.
    """

    host: str
    port: int
    certificates: Path


@asynccontextmanager
async def answering(address: RecorderAddress, path: Path, now: Callable[[], float]) -> AsyncIterator[tuple[str, int]]:
    """Answer from the file at ``path`` while the block runs; yields the address. Raises ``StartError``."""
    tls = Certificate(address.certificates, partial(_verify_clients, address.certificates)).context()
    app = web.Application(client_max_size=0)
    app.add_routes([web.get(HISTORY_PATH, RecordAnswers(path, now).answer)])
    async with AsyncExitStack() as stack:
        try:
            at = ServedAt(address.host, address.port, tls, f"{__name__}.requests")
            listening = await stack.enter_async_context(serve(app, at))
        except OSError as error:
            raise StartError(f"can't listen on {address.host}:{address.port}: {error.strerror}") from error
        log.info("answering on %s port %d", *listening)
        yield listening


class RecordAnswers:
    """Answers questions from the file, one at a time.

    The file is read in a thread, so that the recorder can store records meanwhile.
    """

    def __init__(self, path: Path, now: Callable[[], float]) -> None:
        self._path = path
        self._now = now
        self._one_at_a_time = asyncio.Lock()

    async def answer(self, request: web.Request) -> web.Response:
        """The rows that a question asks for, or a message with code 422 or 503."""
        now = round(self._now())
        try:
            asked, scope = parse_scoped(request.query, now)
            async with self._one_at_a_time:
                found = await asyncio.to_thread(tenant_history, self._path, asked, scope, now, monotonic)
        except HistoryQuestionError as error:
            return _response(422, {"message": f"{error}."})
        except TooMuchError:
            message = "There are too many records for one answer: choose a shorter period with since and until."
            return _response(422, {"message": message})
        except HistoryError as error:
            log.warning("a question about history could not be answered: %s", error)
            return _response(503, {"message": "The file can't be read now."})
        return _response(200, {"now": now, "rows": found.rows, "notes": found.notes, "isCutOff": found.is_cut_off})


def _verify_clients(certificates: Path, context: ssl.SSLContext) -> None:
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(certificates / AUTHORITY)
    # A resumed TLS session would skip the verification of the client.
    context.num_tickets = 0
    context.options |= ssl.OP_NO_TICKET


def _response(code: int, document: object) -> web.Response:
    return web.Response(status=code, body=orjson.dumps(document), content_type="application/json")
