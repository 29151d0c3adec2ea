"""The timeline page, assembled from its parts. Its headers let a browser request pictures only from this server."""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

_SCRIPTS = (
    "clock.js",
    "scene.js",
    "axis.js",
    "chart.js",
    "beside.js",
    "card.js",
    "filter.js",
    "lists.js",
    "keys.js",
    "start.js",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One HTML document and its response headers."""

    text: str
    headers: Mapping[str, str]


def _page() -> Page:
    style, script = _part("look.css"), "\n".join(map(_part, _SCRIPTS))
    text = _part("page.html").replace("<style></style>", f"<style>{style}</style>", 1)
    text = text.replace("<script></script>", f"<script>{script}</script>", 1)
    return Page(text=text, headers={"Content-Security-Policy": _policy(style, script), **_HEADERS})


_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Type": "text/html; charset=utf-8",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def _part(name: str) -> str:
    return files(__package__).joinpath("parts", name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """A content security policy for the page.

    It allows only this script, this style and requests to the page's origin. It forbids scripts to make markup from
    text.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


PAGE = _page()
