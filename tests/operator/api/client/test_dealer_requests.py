"""What a dealer in a tenant's pod may answer: nothing but so many bytes, soon, and from where it was asked."""

import asyncio
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import aiohttp
import pytest

from lockstep.api.client import dealer_requests
from lockstep.api.client.dealer_requests import DealerClient

LIMIT = 100


@contextmanager
def answering(answer):
    """A server of a tenant; ``answer`` gets the handler of each request. Yields its URL and the headers it was sent."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(dict(self.headers))
            answer(self)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/states", seen
    server.shutdown()
    server.server_close()


def sends(code, body=b"", **headers):
    def answer(handler):
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def read(url, **options):
    async def states():
        async with DealerClient() as client:
            return await client.states(url, "a-key", most_bytes=LIMIT, **options)

    return asyncio.run(states())


def test_states_are_read_with_the_key_and_nothing_else_of_ours():
    with answering(sends(200, b"\1\2")) as (url, seen):
        assert read(url) == b"\1\2"

    [headers] = seen
    assert headers["Authorization"] == "Bearer a-key"
    assert {*headers} <= {"Authorization", "Host", "Accept", "Accept-Encoding", "User-Agent", "Connection"}


def test_dealer_gets_the_ranks_of_members_that_come_and_go():
    ranks = ",".join(map(str, range(0, 10_000, 3)))
    with answering(sends(200, b"\1")) as (url, seen):
        assert read(url, ranks=ranks) == b"\1"

    assert seen[0]["Lockstep-Ranks"] == ranks


def test_answer_that_is_too_large_counts_for_nothing():
    with answering(sends(200, b"x" * (LIMIT + 1))) as (url, _):
        assert read(url) is None


def test_answer_that_grows_when_it_is_unpacked_stays_packed():
    with answering(sends(200, b"not gzip", **{"Content-Encoding": "gzip"})) as (url, _):
        assert read(url) == b"not gzip"


@pytest.mark.parametrize("code", [301, 302, 307])
def test_redirect_is_not_followed(code):
    with answering(sends(200, b"secret")) as (other, asked), answering(sends(code, Location=other)) as (url, _):
        assert read(url) is None
        assert asked == []


@pytest.mark.parametrize("code", [204, 401, 500])
def test_other_answers_count_for_nothing(code):
    with answering(sends(code)) as (url, _):
        assert read(url) is None


def test_dealer_that_never_ends_its_answer_is_left(monkeypatch):
    monkeypatch.setattr(dealer_requests, "_TIMEOUT", aiohttp.ClientTimeout(total=0.2))
    over = Event()
    with answering(lambda _: over.wait(timeout=300)) as (url, _):
        assert read(url) is None
        over.set()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/states", "http://[::1/states"])
def test_dealer_that_is_not_there_counts_for_nothing(url):
    assert read(url) is None
