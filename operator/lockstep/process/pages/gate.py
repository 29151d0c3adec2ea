"""Whom a page is shown to: a caller whose bearer token the API server knows, and who may get that path."""

from typing import assert_never

from aiohttp import web

from lockstep.process.pages.health import Health, Page
from lockstep.process.pages.reviews import Reviews, Verdict

_SCHEME = "bearer "
_CHALLENGE = {"WWW-Authenticate": "Bearer"}


def behind_reviews(page: Page, reviews: Reviews) -> Page:
    """The same page for those who may see it; anybody else gets one sentence."""

    async def guarded(health: Health, request: web.Request) -> web.Response:
        token = _bearer_token(request)
        if token is None:
            return _refusal(401, "show the token of a service account: Authorization: Bearer TOKEN", _CHALLENGE)
        match await reviews.verdict(token, request.remote or ""):
            case Verdict.ALLOWED:
                return await page(health, request)
            case Verdict.UNKNOWN_TOKEN:
                return _refusal(401, "the API server does not know this token, or it has expired", _CHALLENGE)
            case Verdict.FORBIDDEN:
                return _refusal(403, f"the holder of this token has no right to get {request.path}")
            case Verdict.TOO_MANY:
                return _refusal(429, "too many tokens are shown; ask again in a second", {"Retry-After": "1"})
            case Verdict.NOT_REVIEWED:
                return _refusal(503, "the API server can't be asked whose token this is")
            case unknown:
                assert_never(unknown)

    return guarded


def _bearer_token(request: web.Request) -> str | None:
    value = request.headers.get("Authorization", "")
    token = value[len(_SCHEME) :].strip() if value.lower().startswith(_SCHEME) else ""
    # A token has no other characters, and headers may have bytes that are no text at all.
    return token if token.isascii() and token else None


def _refusal(code: int, sentence: str, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(status=code, text=f"{sentence}\n", headers=headers)
