"""What is read of a cluster is of one moment, also where a long list expires between two pages."""

import pytest

from builders.served import gang, metadata
from coschedule import GangKey
from fake_cluster.scripted import ScriptedServer, page, status
from lockstep.answers.reading.cluster import kinds_of, one_client, read_cluster, read_gangs, read_members
from lockstep.belief.state import State

pytestmark = pytest.mark.asyncio

EXPIRED = status(410, "the list has expired")


def served(name):
    return {**gang(name), "metadata": metadata(name, namespace="default", generation=1)}


def in_two_moments(make):
    """A list of two pages, of which the second has expired, and the same as of later, when ``a`` is gone."""
    return page(make("a"), make("b"), following="more"), EXPIRED, page(make("b"), make("c"))


async def test_gangs_are_those_of_one_moment():
    async with ScriptedServer(*in_two_moments(served)) as server, one_client(server.configuration) as client:
        gangs = await read_gangs(client, None)

    assert sorted(one.key.name for one in gangs) == ["b", "c"]


async def test_members_are_those_of_one_moment():
    pods = in_two_moments(lambda name: {"metadata": metadata(name, namespace="default")})
    async with ScriptedServer(*pods) as server, one_client(server.configuration) as client:
        members = await read_members(client, GangKey("default", "g"))

    assert [one["metadata"]["name"] for one in members] == ["b", "c"]


async def test_each_kind_is_of_one_moment():
    state = State(lambda: None)
    at = [make_kind(state).target.resource for make_kind in kinds_of(state)].index("gangjobs")
    script = [page()] * at + [*in_two_moments(served)] + [page()] * len(kinds_of(state))
    async with ScriptedServer(*script) as server, one_client(server.configuration) as client:
        await read_cluster(client, state, kind_read=lambda: None)

    assert sorted(key.name for key in state.gangs) == ["b", "c"]
