"""Requests of the client: what is an answer, what is tried again, and what raises."""

import asyncio
import itertools

import aiohttp
import pytest

from fake_cluster.jumping import now, until
from fake_cluster.scripted import Reply, ScriptedServer, Step, reply, status
from lockstep.api.client.answer import ApiUnavailableError, Target
from lockstep.api.client.client import KubeClient

pytestmark = pytest.mark.asyncio

POD = Target("/api/v1/namespaces/default/pods/p", "pods")
PODS = Target("/api/v1/namespaces/default/pods", "pods")
FOUND = reply(200, {"metadata": {"name": "p"}})
# What an API server that has just started says to everybody.
NO_RIGHTS = (
    'pods "p" is forbidden: User "lockstep" cannot get resource "pods" in API group "" in the namespace "default"'
)


def client_of(server, *, concurrency=4, observer=lambda *_: None):
    return KubeClient(server.configuration, concurrency=concurrency, observer=observer)


@pytest.mark.parametrize("code", [400, 403, 404, 409, 422])
async def test_refusal_is_an_answer_and_is_not_tried_again(code):
    async with ScriptedServer(status(code, "not so")) as server, client_of(server) as client:
        answer = await client.get(POD)

    assert (answer.code, answer.message, answer.is_success) == (code, "not so", False)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(status(429), id="too many requests"),
        pytest.param(status(500), id="internal error"),
        pytest.param(status(503), id="unavailable"),
        pytest.param(Reply(502, b"<html>bad gateway</html>"), id="a proxy's page"),
        pytest.param(Reply(200, b"<html>please log in</html>"), id="a proxy's page that claims success"),
        pytest.param(Reply(200, b'["no", "object"]'), id="no object"),
        pytest.param(Step.RESET, id="connection reset"),
        pytest.param(status(401, "Unauthorized"), id="no user is known yet"),
        pytest.param(status(403, NO_RIGHTS), id="no user has rights yet"),
    ],
)
async def test_trouble_is_tried_again(trouble):
    async with ScriptedServer(trouble, trouble, FOUND) as server, client_of(server) as client:
        answer = await client.get(POD)

    assert answer.body == {"metadata": {"name": "p"}}
    assert len(server.asked) == 3


@pytest.mark.parametrize("refusal", [status(401, "Unauthorized"), status(403, NO_RIGHTS)], ids=["401", "403"])
async def test_lack_of_rights_that_lasts_is_an_answer(refusal):
    async with ScriptedServer(*[refusal] * 20) as server, client_of(server) as client:
        answer = await client.get(POD)

    assert answer.is_about_access
    assert len(server.asked) == 6


async def test_write_is_repeated_as_it_was():
    async with ScriptedServer(status(503), reply(201)) as server, client_of(server) as client:
        await client.create(PODS, {"metadata": {"name": "p"}})

    first, second = server.asked
    assert (first.verb, first.path, first.body) == (second.verb, second.path, second.body)
    assert second.body == b'{"metadata":{"name":"p"}}'


async def test_pauses_grow_until_the_client_gives_up():
    async with ScriptedServer(*[status(500, "etcd is down")] * 20) as server, client_of(server) as client:
        with pytest.raises(ApiUnavailableError, match="GET pods: etcd is down"):
            await client.get(POD)

    times = [one.at for one in server.asked]
    pauses = [later - earlier for earlier, later in itertools.pairwise(times)]
    # Each is twice the one before, give or take the jitter of a half.
    assert len(times) == 6
    assert all(0.05 * 2**n <= pause <= 0.16 * 2**n for n, pause in enumerate(pauses))


async def test_retry_after_is_waited_for_in_full():
    troubles = [reply(429, {"message": "busy"}, Retry_After="7")] * 5
    async with ScriptedServer(*troubles, FOUND) as server, client_of(server) as client:
        await client.get(POD)

    times = [one.at for one in server.asked]
    assert len(times) == 6
    assert all(later - earlier >= 7 for earlier, later in itertools.pairwise(times))


async def test_server_that_never_answers_is_given_up():
    async with ScriptedServer(*[Step.SILENCE] * 6) as server, client_of(server) as client:
        began = now()
        with pytest.raises(ApiUnavailableError, match="GET pods"):
            await client.get(POD)

        assert 180 <= now() - began < 200  # six times 30 s, and the pauses


async def test_server_that_is_not_there_is_given_up():
    async with ScriptedServer() as server:
        configuration = server.configuration
    async with KubeClient(configuration, concurrency=1, observer=lambda *_: None) as client:
        with pytest.raises(ApiUnavailableError):
            await client.get(POD)


async def test_observer_gets_every_answer_of_every_try():
    seen = []
    async with (
        ScriptedServer(status(429), status(500), Step.RESET, status(404)) as server,
        client_of(server, observer=lambda verb, resource, code, seconds: seen.append((verb, resource, code))) as client,
    ):
        await client.get(POD)

    assert seen == [("GET", "pods", 429), ("GET", "pods", 500), ("GET", "pods", 404)]


async def test_answer_that_is_no_json_object_is_its_own_message():
    async with ScriptedServer(Reply(404, b"404 page not found\n")) as server, client_of(server) as client:
        answer = await client.get(POD)

    assert answer.message == "404 page not found\n"


async def test_deletion_names_the_uid():
    async with ScriptedServer(reply(200)) as server, client_of(server) as client:
        await client.delete(POD, uid="u-1")

    assert server.asked[0].body == b'{"preconditions":{"uid":"u-1"}}'


async def test_patch_merges():
    async with ScriptedServer(reply(200)) as server, client_of(server) as client:
        await client.patch(POD, {"status": {}})

    assert server.asked[0].headers["Content-Type"] == "application/merge-patch+json"


async def test_rotated_token_is_picked_up_after_its_time():
    tokens = iter(["first", "second"])
    async with ScriptedServer(*[reply(200)] * 3) as server, client_of(server) as client:
        server.configuration.api_key_prefix["BearerToken"] = "Bearer"
        server.configuration.refresh_api_key_hook = lambda it: it.api_key.update(BearerToken=next(tokens))
        client._connection._configuration = server.configuration
        await client.get(POD)
        await client.get(POD)
        client._connection._ask_for_token_at = 0.0
        await client.get(POD)

    assert [one.headers["Authorization"] for one in server.asked] == ["Bearer first"] * 2 + ["Bearer second"]


async def test_writes_are_bounded_and_served_in_order():
    async with ScriptedServer(*[Step.SILENCE] * 3) as server, client_of(server, concurrency=2) as client:
        bodies = [{"metadata": {"name": f"p-{number}"}} for number in range(3)]
        tasks = [asyncio.create_task(client.create(PODS, body)) for body in bodies]
        await until(lambda: len(server.asked) == 2)
        # The first is given up by its caller: only then is there room for the third.
        tasks[0].cancel()
        await until(lambda: len(server.asked) == 3, seconds=5)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    assert [one.body for one in server.asked] == [b'{"metadata":{"name":"p-%d"}}' % number for number in range(3)]


async def test_writes_queue_first_come_first_served():
    names = [f"p-{number}" for number in range(20)]
    async with (
        ScriptedServer(*[reply(201)] * 20) as server,
        client_of(server, concurrency=1) as client,
        asyncio.TaskGroup() as tasks,
    ):
        for name in names:
            tasks.create_task(client.create(PODS, {"name": name}))

    assert [one.body.decode() for one in server.asked] == [f'{{"name":"{name}"}}' for name in names]


async def test_writes_that_pause_between_two_tries_keep_no_others_waiting():
    """A webhook of some pods is down, which the API server answers by 500."""
    script = [status(500)] * 2 + [FOUND] * 3
    async with ScriptedServer(*script) as server, client_of(server, concurrency=2) as client:
        began = now()
        stuck = [asyncio.create_task(client.create(PODS, {"metadata": {"name": f"bad-{number}"}})) for number in (0, 1)]
        await until(lambda: len(server.asked) == 2)
        await client.create(PODS, {"metadata": {"name": "good"}})

        assert now() - began < 0.1
        await asyncio.gather(*stuck)


async def test_reads_do_not_wait_for_writes():
    async with ScriptedServer(Step.SILENCE, FOUND) as server, client_of(server, concurrency=1) as client:
        write = asyncio.create_task(client.create(PODS, {}))
        await until(lambda: server.asked)
        answer = await asyncio.wait_for(client.get(POD), timeout=5)
        write.cancel()

    assert answer.is_success


async def test_session_ignores_proxies_of_the_environment(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    async with ScriptedServer(FOUND) as server, client_of(server) as client:
        assert (await client.get(POD)).is_success


async def test_closed_client_has_closed_its_session():
    async with ScriptedServer(FOUND) as server:
        async with client_of(server) as client:
            await client.get(POD)
        with pytest.raises((RuntimeError, aiohttp.ClientError)):
            await client.get(POD)


@pytest.mark.parametrize("code", [200, 401])
async def test_observer_gets_a_watch_when_it_is_answered(code):
    observed = []
    async with (
        ScriptedServer(status(code)) as server,
        client_of(server, observer=lambda *one: observed.append(one[:3])) as client,
        client.watch(PODS, {}),
    ):
        assert observed == [("WATCH", "pods", code)]
