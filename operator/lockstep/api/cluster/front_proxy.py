"""How the API server forwards requests to its extensions: with a certificate, and with the caller's name in headers.

The settings are in the ConfigMap kube-system/extension-apiserver-authentication, which the API server itself writes.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import orjson

from lockstep.api.client.review import Caller
from lockstep.api.manifest import Manifest

CONFIG_MAP = ("kube-system", "extension-apiserver-authentication")
"""The namespace and the name of the ConfigMap."""

_AUTHORITY = "requestheader-client-ca-file"
_CLIENTS_AUTHORITY = "client-ca-file"
_ALLOWED = "requestheader-allowed-names"
_USER, _UID, _GROUPS, _EXTRA = (
    "requestheader-username-headers",
    "requestheader-uid-headers",
    "requestheader-group-headers",
    "requestheader-extra-headers-prefix",
)

Headers = Iterable[tuple[str, str]]


class FrontProxyError(Exception):
    """The API server forwards no requests that can be trusted; the message is a clause that says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontProxy:
    """The certificates with which the API server forwards requests, and the headers in which it names the caller.

    ``authority`` (PEM) signs the certificates. Their common name is one of ``allowed``; if ``allowed`` is empty, any
    common name is valid.
    """

    authority: str
    allowed: frozenset[str]
    user_headers: tuple[str, ...]
    uid_headers: tuple[str, ...]
    group_headers: tuple[str, ...]
    extra_prefixes: tuple[str, ...]

    def caller(self, common_names: Collection[str], headers: Headers) -> Caller | None:
        """The caller whom the headers name.

        None if the headers name no user, or if a verified certificate with these common names may not name a caller.
        """
        [name, *more] = [*common_names] or [""]
        if not name or more or (self.allowed and name not in self.allowed):
            return None
        lower = [(key.lower(), value) for key, value in headers]
        user = _first(lower, self.user_headers)
        if not user:
            return None
        uid = _first(lower, self.uid_headers)
        groups = [value for header in self.group_headers for key, value in lower if key == header]
        return Caller(
            {"username": user, "groups": groups, "extra": self._extra(lower), **({"uid": uid} if uid else {})}
        )

    def _extra(self, headers: Headers) -> dict[str, list[str]]:
        extra: dict[str, list[str]] = {}
        for key, value in headers:
            for prefix in self.extra_prefixes:
                if key.startswith(prefix):
                    extra.setdefault(unquote(key.removeprefix(prefix)), []).append(value)
        return extra


def parse_front_proxy(manifest: Manifest) -> FrontProxy:
    """Parse the ConfigMap.

    Raises ``FrontProxyError``, for example if the API server's clients could forge its requests.
    """
    data = manifest.get("data") or {}
    authority, allowed = data.get(_AUTHORITY, ""), frozenset(_texts(data, _ALLOWED))
    users = _lower(_texts(data, _USER))
    if not authority or not users:
        raise FrontProxyError(
            "the API server has no --requestheader-client-ca-file, or no --requestheader-username-headers"
        )
    if not allowed and authority.strip() == data.get(_CLIENTS_AUTHORITY, "").strip():
        raise FrontProxyError(
            "any client could pretend to be the API server: --requestheader-client-ca-file and --client-ca-file are "
            "the same, and --requestheader-allowed-names is empty"
        )
    return FrontProxy(
        authority=authority,
        allowed=allowed,
        user_headers=users,
        uid_headers=_lower(_texts(data, _UID)),
        group_headers=_lower(_texts(data, _GROUPS)),
        extra_prefixes=_lower(_texts(data, _EXTRA)),
    )


def _texts(data: dict[str, Any], key: str) -> tuple[str, ...]:
    """The list of texts under that key, which is written as JSON. Raises ``FrontProxyError``."""
    try:
        found = orjson.loads(data.get(key) or "[]")
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise FrontProxyError(f"{key} is not a list of strings")
    return tuple(found)


def _lower(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


def _first(headers: Headers, names: Iterable[str]) -> str:
    """The value of the first header in ``names`` that is present and not empty; '' if there is none."""
    return next((value for name in names for key, value in headers if key == name and value), "")
