"""What shows names of all namespaces answers, on the loopback, to those only who ask for the loopback."""

import asyncio

import pytest
from prometheus_client import CollectorRegistry

from lockstep.belief.state import State
from lockstep.process.pages.health import PROBES, Health
from lockstep.process.pages.listening import Listener, listen
from lockstep.process.pages.loopback import for_loopback, means_loopback
from lockstep.process.timeline import Pictures
from lockstep.report.metrics.metrics import Metrics

MEANT = [
    *("localhost", "LocalHost", "127.0.0.1", "127.255.255.254", "[::1]", "[0:0:0:0:0:0:0:1]"),
    *("localhost:8081", "127.0.0.1:8081", "[::1]:8081", "localhost:", "127.0.0.1:99999"),
]
NOT_MEANT = [
    *("", "evil.example.com", "evil.example.com:8081", "10.0.0.1", "128.0.0.1", "0.0.0.1", "[::]", "[::2]"),
    *("localhost.evil.example.com", "127.0.0.1.evil.example.com", "evil.example.com/localhost", "evillocalhost"),
    *("localhost@evil.example.com", "localhost:8081@evil.example.com", "localhost:80:81", "localhost:http"),
    *(
        "localhost ",
        " localhost",
        "localhost,localhost",
        "localhost\t:1",
        "lôcalhost",
        "localhost:\u0668",
        "127.0.0.\u0660",
    ),
    *("127.1", "127.0.0.1.", "0127.0.0.1", "2130706433", "0x7f.0.0.1", "127.0.0.256", "::1", "[::1", "::1]", "[]"),
    *("[::ffff:127.0.0.1]", "[::1%lo]", "[127.0.0.1]", "[localhost]", "[::1]evil", "ip6-localhost", "localhost."),
]


@pytest.mark.parametrize("host", MEANT)
def test_host_means_the_loopback(host):
    assert means_loopback(host)


@pytest.mark.parametrize("host", NOT_MEANT)
def test_host_means_something_else(host):
    assert not means_loopback(host)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("headers", "want"),
    [
        pytest.param(b"Host: localhost:8081\r\n", 200, id="the loopback"),
        pytest.param(b"host: 127.0.0.1\r\n", 200, id="its address"),
        pytest.param(b"Host: evil.example.com:8081\r\n", 403, id="a name that was made to stand for it"),
        pytest.param(b"Host: \xff\xfe\r\n", 403, id="no text"),
        pytest.param(b"Host:\r\n", 403, id="nothing"),
        pytest.param(b"X-Forwarded-Host: localhost\r\nHost: evil.example.com\r\n", 403, id="a header of another name"),
    ],
)
async def test_guarded_page_answers_by_the_host(headers, want):
    async with guarded_page("127.0.0.1") as (host, port):
        assert await code_of(host, port, headers) == want


@pytest.mark.asyncio
@pytest.mark.parametrize("headers", [b"", b"Host: localhost\r\nHost: evil.example.com\r\n"])
async def test_guarded_page_refuses_requests_with_no_host_or_two(headers):
    async with guarded_page("127.0.0.1") as (host, port):
        assert await code_of(host, port, headers) in (400, 403)


@pytest.mark.asyncio
@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "2001:db8::1", None])
async def test_only_who_comes_in_at_the_loopback_has_to_ask_for_it(address):
    async def page(_health, _request):
        return "the page"

    class Request:
        headers = type("Headers", (), {"getall": staticmethod(lambda _name, _default: ["operator.example.com"])})

        @staticmethod
        def get_extra_info(_name):
            return address and (address, 8081)

    answer = await for_loopback(page)(None, Request())

    is_refused = answer != "the page"
    assert is_refused == (address not in ("10.0.0.1", "2001:db8::1"))


def guarded_page(host):
    """Serve a page that is guarded."""
    metrics, nothing = Metrics(CollectorRegistry()), lambda: None
    pictures = Pictures(State(nothing), nothing, now=lambda: 0.0, monotonic=lambda: 0.0)
    health = Health(unready=lambda: "", decided=nothing, refresh=lambda: iter(()), metrics=metrics, pictures=pictures)
    pages = {"/page": for_loopback(PROBES["/healthz"])}
    return listen(health, Listener(pages=pages, host=host, port=0))


async def code_of(host, port, headers):
    """The status code of the answer to these very bytes."""
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(b"GET /page HTTP/1.1\r\n" + headers + b"Connection: close\r\n\r\n")
    answer = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return int(answer.split()[1])
