"""Responses of an API server: objects, and refusals as objects of the kind ``Status``."""

import asyncio
from collections.abc import Mapping

import orjson
from aiohttp import web

from lockstep.api.cluster.answers_service import ANSWERS_GROUP
from lockstep.tenants.documents import Document

SENDING_SECONDS = 10.0
"""A client that reads an answer for longer than this loses its connection: other clients need the place."""

_REASONS: Mapping[int, str] = {
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    422: "Invalid",
    429: "TooManyRequests",
    503: "ServiceUnavailable",
}


def shown(document: Document, *, code: int = 200) -> web.Response:
    """A response with an object."""
    return web.Response(status=code, body=orjson.dumps(document), content_type="application/json")


def refused(code: int, message: str, *, seconds: int = 0) -> web.Response:
    """A refusal with one sentence. If ``seconds`` is given, the caller may ask again after this time."""
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": _REASONS[code],
        "message": message,
        # By these details the command line knows that the answer is ours, not that of an API server without this group.
        "details": {"group": ANSWERS_GROUP, "retryAfterSeconds": seconds},
    }
    headers = {"Retry-After": str(seconds)} if seconds else None
    return web.Response(status=code, body=orjson.dumps(status), content_type="application/json", headers=headers)


def unauthorized() -> web.Response:
    """The refusal of a request that the API server has not forwarded."""
    return refused(401, "This server answers only the API server: send your request there.")


def no_such_resource() -> web.Response:
    """The refusal of a request for a path that is not served."""
    return refused(404, "There is no such resource.")


async def sent(request: web.Request, response: web.Response, seconds: float = SENDING_SECONDS) -> web.Response:
    """Send a response and return it. If the client reads too slowly, close its connection.

    Bytes that are in buffers count as sent.
    """
    try:
        async with asyncio.timeout(seconds):
            await response.prepare(request)
            await response.write_eof()
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()
    except ConnectionError:
        # The client has closed the connection.
        pass
    return response
