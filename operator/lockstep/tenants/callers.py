"""Finds out who asks: the caller whom the API server names in the headers of a request."""

from typing import Any

from aiohttp import web

from lockstep.api.client.review import Caller
from lockstep.api.cluster.front_proxy import FrontProxy


def caller_of(front_proxy: FrontProxy, request: web.Request) -> Caller | None:
    """The caller; None if the API server has not forwarded the request."""
    headers = [(key, value) for key, value in request.headers.items() if _is_text(value)]
    return front_proxy.caller(_common_names(request), headers)


def _common_names(request: web.Request) -> list[str]:
    """The common names in the client's certificate, which the handshake has verified."""
    subject: Any = (request.get_extra_info("peercert") or {}).get("subject", ())
    return [value for names in subject for key, value in names if key == "commonName"]


def _is_text(value: str) -> bool:
    """Whether a header is UTF-8. Other bytes are surrogates in the value."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
