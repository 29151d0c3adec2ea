"""The line that the log has of each request, at the level ``debug``."""

import logging
import re

import pytest

from coschedule import GangKey
from fake_cluster.jumping import until
from fake_cluster.scripted import ScriptedServer, Step, reply, status, stream
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import observed_session
from lockstep.api.client.request_log import log_answer
from lockstep.logs.formats import TextFormat
from lockstep.logs.subject import work_for

pytestmark = pytest.mark.asyncio

PODS = Target("/api/v1/namespaces/default/pods", "pods")
SECRET = "s3cr3t"


def client_of(server):
    return KubeClient(server.configuration, concurrency=4, observer=lambda *_: None)


def written(caplog):
    """The lines of requests, without the time and how long each took."""
    lines = [TextFormat().format(one) for one in caplog.records if one.name == "lockstep.api.client.request_log"]
    return [re.sub(r"in \d+\.\d ms$", "in …", line).partition(".request_log: ")[2] for line in lines]


@pytest.fixture(autouse=True)
def _debug(caplog):
    caplog.set_level(logging.DEBUG, logger="lockstep")


async def test_every_try_has_a_line_with_its_answer(caplog):
    async with ScriptedServer(status(503), Step.RESET, reply(201)) as server, client_of(server) as client:
        await client.create(PODS, {"metadata": {"name": "p"}})

    assert written(caplog) == [
        f"POST {PODS.path}: 503 in …",
        f"POST {PODS.path}: no answer: Server disconnected",
        f"POST {PODS.path}: 201 in …",
    ]


async def test_line_names_the_gang_and_the_attempt_that_a_task_works_for(caplog):
    async with ScriptedServer(reply(200), reply(200), reply(200)) as server, client_of(server) as client:
        work_for(GangKey("team", "heat"))
        await client.get(PODS)
        work_for(GangKey("team", "heat"), 3)
        work_for(GangKey("team", "heat"))
        await client.get(PODS)
        work_for(GangKey("team", "cool"))
        await client.get(PODS)

    assert written(caplog) == [
        f"team/heat: GET {PODS.path}: 200 in …",
        f"team/heat: attempt 3: GET {PODS.path}: 200 in …",
        f"team/cool: GET {PODS.path}: 200 in …",
    ]


async def test_dry_run_and_watch_are_logged_by_names_of_their_own(caplog):
    async with ScriptedServer(reply(201), stream(b"{}\n"), stream(b"text\n")) as server, client_of(server) as client:
        await client.dry_run(PODS, {})
        async with client.watch(PODS, {}):
            pass
        async with client.text(PODS, {}):
            pass

    assert written(caplog) == [
        f"dry run of POST {PODS.path}: 201 in …",
        f"WATCH {PODS.path}: 200 in …",
        f"GET {PODS.path}: 200 in …",
    ]


async def test_requests_of_the_framework_have_lines_too(caplog):
    async with ScriptedServer(stream(b"{}\n")) as server:
        session = observed_session(server.configuration, lambda *_: None, lambda *_: None)
        async with session, session.get(f"{server.configuration.host}/apis/lockstep.dev/v1alpha1/gangjobs?watch=true"):
            await until(lambda: written(caplog))

    assert written(caplog) == ["WATCH /apis/lockstep.dev/v1alpha1/gangjobs: 200 in …"]


async def test_no_token_no_body_and_no_query_is_written(caplog):
    async with ScriptedServer(reply(200), reply(201)) as server:
        configuration = server.configuration
        configuration.api_key["authorization"] = f"Bearer {SECRET}"
        async with KubeClient(configuration, concurrency=1, observer=lambda *_: None) as client:
            await client.get(PODS, {"labelSelector": SECRET})
            await client.create(PODS, {"metadata": {"name": "p"}, "data": SECRET})

    listing, creation = server.asked
    assert SECRET in listing.headers["Authorization"]
    assert SECRET.encode() in creation.body
    assert SECRET not in caplog.text


async def test_nothing_is_formatted_where_it_is_not_logged(caplog, monkeypatch):
    caplog.set_level(logging.INFO, logger="lockstep")
    monkeypatch.setattr("lockstep.api.client.request_log.about", lambda *_: pytest.fail("a line is made"))
    work_for(GangKey("team", "heat"), 1)

    log_answer("GET", PODS.path, 200, 0.1)

    assert written(caplog) == []
