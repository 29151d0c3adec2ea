"""A large GangJob is read as the API server has it now: of all its events only the newest version counts."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import gang
from fake_cluster.jumping import until
from fake_cluster.scripted import ScriptedServer, Step, reply, status
from lockstep.api.client.client import KubeClient
from lockstep.belief.state import State
from lockstep.watch.kinds import gangs_kind
from lockstep.watch.large_gangs import LargeGangs

pytestmark = pytest.mark.asyncio

KEY = ("default", "g")


@asynccontextmanager
async def reading(*script):
    """Read large gangs from a script; gives (server, state, large gangs)."""
    state = State(lambda: None)
    async with (
        ScriptedServer(*script) as server,
        KubeClient(server.configuration, concurrency=1, observer=lambda *_: None) as client,
    ):
        large = LargeGangs(client, gangs_kind(state))
        task = asyncio.create_task(large.keep_reading())
        try:
            yield server, state, large
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def of_namespace(name, namespace):
    one = gang(name)
    return {**one, "metadata": {**one["metadata"], "namespace": namespace}}


async def test_newest_version_is_accepted_whatever_the_event_said():
    async with reading(reply(content=gang("g", version="7", size=5))) as (server, state, large):
        large.note(gang("g", version="3"))
        await until(lambda: state.gangs)

        assert state.gangs[KEY].resource_version == "7"
        assert [one.path for one in server.asked] == ["/apis/lockstep.dev/v1alpha1/namespaces/default/gangjobs/g"]


async def test_gang_that_changes_often_is_read_once():
    async with reading(reply(content=gang("g", version="99"))) as (server, state, large):
        for version in range(100):
            large.note(gang("g", version=str(version)))
        await until(lambda: state.gangs)

        assert len(server.asked) == 1


async def test_gangs_are_read_one_at_a_time():
    async with reading(Step.SILENCE) as (server, _, large):
        for number in range(5):
            large.note(gang(f"g{number}"))
        await until(lambda: server.asked)

        assert [one.path.rpartition("/")[2] for one in server.asked] == ["g0"]


async def test_namespaces_take_turns():
    names = [(f"g{number}", "busy") for number in range(4)] + [("other", "quiet")]
    gangs = [of_namespace(*one) for one in names]
    async with reading(*(reply(content=one) for one in (gangs[0], gangs[4], *gangs[1:4]))) as (server, state, large):
        for one in gangs:
            large.note(one)
        await until(lambda: len(state.gangs) == len(gangs))

        assert [one.path.rpartition("/")[2] for one in server.asked] == ["g0", "other", "g1", "g2", "g3"]


async def test_gang_that_was_made_anew_before_its_turn_is_read():
    async with reading(reply(content=gang("g", uid="later"))) as (server, state, large):
        large.note(gang("g"))
        large.note(gang("g", uid="later"))
        large.forget(gang("g"))
        await until(lambda: state.gangs)

        assert len(server.asked) == 1


async def test_gang_that_went_before_its_turn_is_not_asked_for():
    async with reading(reply(content=gang("other"))) as (server, state, large):
        large.note(gang("g"))
        large.note(gang("other"))
        large.forget(gang("g"))
        await until(lambda: state.gangs)

        assert set(state.gangs) == {("default", "other")}
        assert len(server.asked) == 1


async def test_gang_that_went_while_it_was_read_is_not_accepted(monkeypatch):
    async with reading(reply(content=gang("g")), reply(content=gang("other"))) as (_, state, large):
        read = large._reader.read

        async def read_while_it_goes(manifest):
            if manifest["metadata"]["name"] == "g":
                large.forget(manifest)
            return await read(manifest)

        monkeypatch.setattr(large._reader, "read", read_while_it_goes)
        large.note(gang("g"))
        large.note(gang("other"))
        await until(lambda: state.gangs)

        assert set(state.gangs) == {("default", "other")}


@pytest.mark.parametrize(
    "answer",
    [pytest.param(status(404, name="g"), id="gone"), pytest.param(reply(content=gang("g", uid="later")), id="another")],
)
async def test_gang_that_is_not_there_any_more_is_not_accepted(answer):
    async with reading(answer, reply(content=gang("other"))) as (_, state, large):
        large.note(gang("g"))
        large.note(gang("other"))
        await until(lambda: state.gangs)

        assert set(state.gangs) == {("default", "other")}


@pytest.mark.parametrize("code", [503, 404], ids=["trouble", "pages of a proxy"])
async def test_gang_is_read_again_after(code):
    troubles = [status(code)] * 20
    async with reading(*troubles, reply(content=gang("g"))) as (_, state, large):
        large.note(gang("g"))
        await until(lambda: state.gangs)

        assert set(state.gangs) == {KEY}
