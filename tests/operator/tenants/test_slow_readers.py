"""A client that reads slowly has a place among the questions until its answer is sent, for some seconds at most."""

import asyncio
import logging
import socket
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from aiohttp import web

from lockstep.api.client.review import Caller
from lockstep.tenants.history.recorder_client import FoundHistory
from lockstep.tenants.in_flight import MOST_IN_FLIGHT_OF_PARTY
from lockstep.tenants.namespaces import OwnNamespace
from lockstep.tenants.requests import AskedOf, TenantRequests
from lockstep.tenants.responses import sent, shown
from served_routes import served_routes

pytestmark = pytest.mark.asyncio

# More than what buffers of both ends take.
LONG = "x" * 2**24
HISTORY = "/apis/answers.lockstep.dev/v1alpha1/namespaces/tenant/histories/default"


class Front:
    """Believes the user to be the one that the query names."""

    def caller(self, names, headers):
        return Caller({"username": dict(headers)["User"]})


class Granted:
    async def may(self, caller, asked):
        return True


class LongRecord:
    async def history(self, view, query, party):
        return FoundHistory(0, [{"name": LONG}], [], is_cut_off=False)


class Anyone:
    async def of(self, caller, namespace):
        return OwnNamespace(namespace, "uid", 0)


@asynccontextmanager
async def asking(port, user="jane", path=HISTORY):
    """A connection on which a question is asked; nothing of the answer is read before the block reads it."""
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    plain.setblocking(False)  # noqa: FBT003 - the name is not ours
    await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
    reader, writer = await asyncio.open_connection(sock=plain, limit=64)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nUser: {user}\r\nConnection: close\r\n\r\n".encode())
    try:
        yield reader
    finally:
        writer.transport.abort()


async def code_of(reader):
    return int((await reader.readexactly(12))[-3:])


async def test_place_of_a_question_is_taken_until_its_answer_is_read():
    asked = AskedOf(Granted(), Anyone(), None, None, None, LongRecord())
    async with served_routes(TenantRequests(Front(), asked, lambda: 0.0).routes()) as port, AsyncExitStack() as stack:

        async def ask(user="jane"):
            return await stack.enter_async_context(asking(port, user))

        slow = [await ask() for _ in range(MOST_IN_FLIGHT_OF_PARTY)]
        assert {await code_of(one) for one in slow} == {200}
        assert await code_of(await ask()) == 429
        assert await code_of(await ask("joe")) == 200

        await slow[0].read(-1)
        assert await code_of(await ask()) == 200


@pytest.mark.parametrize("leaves", [False, True], ids=["stays", "leaves"])
async def test_connection_of_a_client_that_does_not_read_is_closed_and_the_log_has_nothing(leaves, caplog):
    """Each such line would have a trace of calls, and users could fill the log."""
    caplog.set_level(logging.WARNING)
    is_over = asyncio.Event()

    async def answer(request):
        response = await sent(request, shown({"long": LONG}), 60.0 if leaves else 0.05)
        is_over.set()
        return response

    async with served_routes([web.get("/", answer)]) as port, asking(port, path="/") as reader:
        assert await code_of(reader) == 200
        if not leaves:
            await is_over.wait()
            # What was in buffers by then may still arrive.
            assert len(await reader.read(-1)) < len(LONG)
    await is_over.wait()

    assert [one.message for one in caplog.records] == []
