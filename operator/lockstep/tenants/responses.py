"""Responses of an API server: objects, and refusals as ``Status``."""

from collections.abc import Mapping

import orjson
from aiohttp import web

from lockstep.api.cluster.answers_service import ANSWERS_GROUP
from lockstep.tenants.documents import Document

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
    """An object."""
    return web.Response(status=code, body=orjson.dumps(document), content_type="application/json")


def refused(code: int, message: str, *, seconds: int = 0) -> web.Response:
    """A refusal with one sentence; the caller may ask again after so many seconds, if any are given."""
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": _REASONS[code],
        "message": message,
        # By this the command line knows that an answer is ours, not that of an API server without this group.
        "details": {"group": ANSWERS_GROUP, "retryAfterSeconds": seconds},
    }
    headers = {"Retry-After": str(seconds)} if seconds else None
    return web.Response(status=code, body=orjson.dumps(status), content_type="application/json", headers=headers)
