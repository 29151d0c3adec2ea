"""Users who ask the server of answers many questions at once, some of whom read slowly or not at all."""

import asyncio
import re
import ssl
from collections import Counter
from enum import StrEnum
from itertools import cycle
from pathlib import Path
from socket import SO_RCVBUF, SOL_SOCKET, socket
from typing import NamedTuple

from sandbox.pki import KeyPair

LEAST_BUFFER = 1024
CODE_BYTES = len("HTTP/1.1 200")
BYTES_AT_ONCE = 1
PAUSE_SECONDS = 1.0
SHOWN_BYTES = 500
# With less, the whole answer is in buffers between the two ends, and the server has nothing to wait for.
STREAM_BYTES = 64


class Reader(StrEnum):
    """How a user reads answers."""

    AT_ONCE = "at once"
    SLOWLY = "a byte a second"
    NEVER = "never"


class Asking(NamedTuple):
    """The API server at ``host`` and ``port``, and the certificate of an administrator who asks in users' names."""

    host: str
    port: int
    authority: Path
    admin: KeyPair
    group: str


class Users(NamedTuple):
    """``number`` users of a name, each with ``questions`` about ``paths``, over so many seconds.

    After the last question, each waits for answers for at most ``patience`` seconds.
    """

    name: str
    reader: Reader
    number: int
    questions: int
    paths: tuple[str, ...]
    seconds: float
    patience: float


def ask_all(asking: Asking, crowd: list[Users]) -> Counter[tuple[str, str]]:
    """How many questions had which code or error, by the name of their users; some are still being read at the end."""
    return asyncio.run(_ask_all(asking, crowd))


async def _ask_all(asking: Asking, crowd: list[Users]) -> Counter[tuple[str, str]]:
    context = ssl.create_default_context(cafile=str(asking.authority))
    context.load_cert_chain(asking.admin.certificate, asking.admin.key)
    users = [_user(asking, context, users, f"{users.name}-{one}") for users in crowd for one in range(users.number)]
    found = Counter[tuple[str, str]]()
    for part in await asyncio.gather(*users):
        found += part
    return found


async def _user(asking: Asking, context: ssl.SSLContext, users: Users, name: str) -> Counter[tuple[str, str]]:
    """Ask at a steady pace, whether answers have come or not; all connections are closed at the end."""
    codes, path_of = Counter[tuple[str, str]](), cycle(users.paths)
    asked = []
    for _ in range(users.questions):
        asked.append(asyncio.create_task(_code(asking, context, users.reader, name, next(path_of))))
        await asyncio.sleep(users.seconds / users.questions)
    done, late = await asyncio.wait(asked, timeout=users.patience)
    for one in late:
        one.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    for one in done:
        codes[users.name, one.result()] += 1
    if late:
        codes[users.name, "still reading"] += len(late)
    return codes


async def _code(asking: Asking, context: ssl.SSLContext, reader: Reader, user: str, path: str) -> str:
    """Ask one question on a connection of its own, and return the code of the answer once all of it is read."""
    try:
        plain = await asyncio.to_thread(_connected, asking, is_small=reader is not Reader.AT_ONCE)
        limit = 2**16 if reader is Reader.AT_ONCE else STREAM_BYTES
        source, sink = await asyncio.open_connection(sock=plain, ssl=context, server_hostname=asking.host, limit=limit)
    except OSError as error:
        return type(error).__name__
    try:
        whose = f"Impersonate-User: {user}\r\nImpersonate-Group: {asking.group}\r\n"
        sink.write(f"GET {path} HTTP/1.1\r\nHost: {asking.host}\r\n{whose}Connection: close\r\n\r\n".encode())
        return await _read(source, reader)
    except (OSError, asyncio.IncompleteReadError) as error:
        return type(error).__name__
    finally:
        sink.transport.abort()


async def _read(source: asyncio.StreamReader, reader: Reader) -> str:
    """Read all; return the code, and of a refusal its sentence, too."""
    if reader is Reader.NEVER:
        await asyncio.Event().wait()
    code = (await source.readexactly(CODE_BYTES)).decode()[-3:]
    at_once, pause = (BYTES_AT_ONCE, PAUSE_SECONDS) if reader is Reader.SLOWLY else (2**16, 0.0)
    last = b""
    while True:
        part = await source.read(at_once)
        if not part:
            return code if code == "200" else f"{code}: {_sentence(last.decode(errors='replace'))}"
        last = (last + part)[-SHOWN_BYTES:]
        await asyncio.sleep(pause)


def _sentence(answer: str) -> str:
    """The message of a Status, or the last line of what is none."""
    found = re.search(r'"message":"([^"]*)"', answer)
    return found[1] if found else (answer.split("\n") or [""])[-1]


def _connected(asking: Asking, *, is_small: bool) -> socket:
    plain = socket()
    if is_small:
        # Before it connects: the buffer bounds what the other end may send ahead.
        plain.setsockopt(SOL_SOCKET, SO_RCVBUF, LEAST_BUFFER)
    plain.connect((asking.host, asking.port))
    return plain
