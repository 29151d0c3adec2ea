"""Protects a page: the API server must know the caller's bearer token, and allow the caller to get the path."""

from typing import assert_never

from aiohttp import web

from lockstep.process.pages.health import Health, Page
from lockstep.process.pages.reviews import Reviews, Verdict

_SCHEME = "bearer "
_CHALLENGE = {"WWW-Authenticate": "Bearer"}


def behind_reviews(page: Page, reviews: Reviews) -> Page:
    """The page for callers that may read it; other callers get an error with one sentence."""

    async def guarded(health: Health, request: web.Request) -> web.Response:
        token = _bearer_token(request)
        if token is None:
            return _refusal(401, "send the token of a service account: Authorization: Bearer TOKEN", _CHALLENGE)
        match await reviews.verdict(token, request.remote or ""):
            case Verdict.ALLOWED:
                return await page(health, request)
            case Verdict.UNKNOWN_TOKEN:
                return _refusal(401, "the API server does not know this token, or it has expired", _CHALLENGE)
            case Verdict.FORBIDDEN:
                return _refusal(403, f"the holder of this token has no right to get {request.path}")
            case Verdict.TOO_MANY:
                return _refusal(429, "too many different tokens were sent; try again in a second", {"Retry-After": "1"})
            case Verdict.NOT_REVIEWED:
                return _refusal(503, "the API server did not review this token; try again later")
            case unknown:
                assert_never(unknown)

    return guarded


def _bearer_token(request: web.Request) -> str | None:
    value = request.headers.get("Authorization", "")
    token = value[len(_SCHEME) :].strip() if value.lower().startswith(_SCHEME) else ""
    # Tokens are ASCII; headers may have other bytes.
    return token if token.isascii() and token else None


def _refusal(code: int, sentence: str, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(status=code, text=f"{sentence}\n", headers=headers)
