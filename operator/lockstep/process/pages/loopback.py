"""Protects pages that are served on the loopback: they answer only if the request names the loopback as its host.

This prevents DNS rebinding. Any website may let its own name resolve to 127.0.0.1, and then read pages through a
browser on this host. But the browser sends the website's name as the host.
"""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_address

from aiohttp import web

from lockstep.process.pages.health import Health, Page

_HOST = re.compile(r"(?P<name>[A-Za-z]+)|(?P<v4>[0-9.]+)|\[(?P<v6>[0-9A-Fa-f:.]+)\]")
_PORT = re.compile(r":[0-9]*")
_LOOPBACK = IPv6Address("::1")
_REFUSAL = "this page shows names of all namespaces: ask for it as localhost, 127.0.0.1 or [::1]\n"


def for_loopback(page: Page) -> Page:
    """The page, with a guard: it refuses requests that come over the loopback and name another host."""

    async def guarded(health: Health, request: web.Request) -> web.Response:
        if _came_by_loopback(request) and not is_for_loopback(request):
            return web.Response(status=403, text=_REFUSAL)
        return await page(health, request)

    return guarded


def is_for_loopback(request: web.Request) -> bool:
    """Whether a request has one ``Host`` header, which names the loopback."""
    hosts = request.headers.getall("Host", ())
    return len(hosts) == 1 and means_loopback(hosts[0])


def means_loopback(host: str) -> bool:
    """Whether a ``Host`` header names the loopback: localhost, an address of 127.0.0.0/8, or [::1], with any port."""
    match = _HOST.match(host)
    if match is None or not (host[match.end() :] == "" or _PORT.fullmatch(host, match.end())):
        return False
    try:
        if match["v4"]:
            return IPv4Address(match["v4"]).is_loopback
        return match["name"].lower() == "localhost" if match["name"] else IPv6Address(match["v6"]) == _LOOPBACK
    except AddressValueError:
        return False


def _came_by_loopback(request: web.Request) -> bool:
    """Whether the connection is to a loopback address.

    A connection that is closing has no address; it counts as one to the loopback.
    """
    own = request.get_extra_info("sockname")
    if not own:
        return True
    address = ip_address(own[0])
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
