"""A token that is not accepted any more: the API server is asked rarely, and the log says so once."""

import asyncio
import logging

import pytest

from builders.served import gang
from fake_cluster.api import Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import gang_place, is_placed, operator_over
from fake_cluster.scripted import ScriptedServer, reply, status, stream
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import Configuration
from lockstep.api.client.credentials import REFUSED, Credentials, refused_at_start, refused_to_person

pytestmark = pytest.mark.asyncio

POD = Target("/api/v1/namespaces/default/pods/p", "pods")
PODS = Target("/api/v1/namespaces/default/pods", "pods")
FOUND = reply(200, {"metadata": {"name": "p"}})
NOT_KNOWN = status(401, "Unauthorized")
MANY = 20


def client_of(server):
    return KubeClient(server.configuration, concurrency=4, observer=lambda *_: None)


async def test_token_that_expired_is_shown_rarely_however_many_ask_and_all_get_their_answer_in_the_end():
    script = [FOUND, *[NOT_KNOWN] * 8, *[FOUND] * MANY]
    async with ScriptedServer(*script) as server, client_of(server) as client:
        await client.get(POD)
        await client.get(POD)  # the first 401, and its patient tries
        answers = await asyncio.gather(*(client.get(POD) for _ in range(MANY - 1)))

    gaps = [round(later.at - earlier.at) for earlier, later in zip(server.asked[1:9], server.asked[2:10], strict=True)]
    assert gaps == [1, 2, 4, 8, 16, 32, 60, 60]
    assert all(answer.is_success for answer in answers)


async def test_those_who_wait_go_on_as_soon_as_one_is_let_in():
    script = [FOUND, *[NOT_KNOWN] * 3, *[FOUND] * MANY]
    async with ScriptedServer(*script) as server, client_of(server) as client:
        await client.get(POD)
        began = now()
        await asyncio.gather(*(client.create(PODS, {"metadata": {"name": f"p-{one}"}}) for one in range(3)))

        assert now() - began < 4


async def test_log_says_once_what_is_wrong_and_once_that_it_is_over(caplog):
    caplog.set_level(logging.INFO)
    script = [FOUND, *[NOT_KNOWN] * 7, FOUND]
    async with ScriptedServer(*script) as server, client_of(server) as client:
        await client.get(POD)
        asking = asyncio.create_task(client.get(POD))
        await until(lambda: client.credentials.trouble)
        assert client.credentials.trouble == REFUSED
        await asking

        assert client.credentials.trouble == ""

    logged = [(one.levelname, one.getMessage()) for one in caplog.records if one.name.startswith("lockstep")]
    assert logged == [
        ("ERROR", REFUSED),
        ("INFO", "the API server accepts the credentials of this process again, after 123 s"),
    ]


async def test_log_uses_the_words_of_the_caller(caplog):
    async with ScriptedServer(FOUND, *[NOT_KNOWN] * 3, FOUND) as server:
        credentials = Credentials(refused="log in again")
        observer = {"observer": lambda *_: None}
        async with KubeClient(server.configuration, concurrency=1, credentials=credentials, **observer) as client:
            await client.get(POD)
            await client.get(POD)

    assert [one.getMessage() for one in caplog.records if one.name.startswith("lockstep.")] == ["log in again"]


async def test_who_was_never_let_in_hears_whence_the_credentials_come_and_what_to_do():
    configuration = Configuration(host="https://example.com")
    configuration.source = "/home/me/.kube/config"

    for said in (refused_at_start(configuration), refused_to_person(configuration)):
        assert said[1:].startswith("he API server at https://example.com refuses access: it rejects ")
        assert "the credentials of /home/me/.kube/config (401 Unauthorized)" in said
        assert "they have probably expired, or their account was deleted or created again" in said
    assert "restart the operator's pod" in refused_at_start(configuration)
    assert "`kubectl create token lockstep --namespace lockstep-system`" in refused_at_start(configuration)
    assert "log in again" in refused_to_person(configuration)


async def test_token_that_is_refused_for_a_moment_is_not_logged(caplog):
    async with ScriptedServer(FOUND, NOT_KNOWN, FOUND) as server, client_of(server) as client:
        await client.get(POD)
        assert (await client.get(POD)).is_success

        assert client.credentials.trouble == ""
    assert not caplog.records


async def test_watch_waits_with_the_others():
    script = [FOUND, *[NOT_KNOWN] * 3, stream(b"{}\n")]
    async with ScriptedServer(*script) as server, client_of(server) as client:
        await client.get(POD)
        async with client.watch(PODS, {}) as lines:
            assert [line async for batch in lines.batches() for line in batch] == [b"{}"]

    assert len(server.asked) == 5


async def test_trouble_of_the_server_says_nothing_of_the_token():
    script = [FOUND, NOT_KNOWN, status(503), status(429), NOT_KNOWN, NOT_KNOWN, FOUND]
    async with ScriptedServer(*script) as server, client_of(server) as client:
        await client.get(POD)
        asking = asyncio.create_task(client.get(POD))
        await until(lambda: client.credentials.trouble)

        assert (await asking).is_success


async def test_gang_that_is_submitted_while_the_token_is_refused_lands_when_it_is_accepted(caplog):
    async with operator_over(gangs=[gang("first")]) as (api, _):
        await until(lambda: is_placed(api, "first"))
        api.fault = lambda _: Refusal(code=401, message="Unauthorized")
        began = len(api.requests)
        api.store.create("gangjobs", gang("g"))
        await asyncio.sleep(240)
        asked = len(api.requests) - began

        api.fault = lambda _: None
        await until(lambda: is_placed(api, "g"), seconds=70)
        assert api.store.get(gang_place("g"))["status"]["attempt"] == 1
    # One for each try, and what was under way at the first.
    assert asked < 12
    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING] == [REFUSED]
