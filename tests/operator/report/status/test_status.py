"""Answers to a write of a status that come when watches have shown more."""

import pytest

from builders.facts import gang_fact
from builders.served import gang
from lockstep.api.client.answer import Answer
from lockstep.belief.state import State
from lockstep.facts.gang.status import GangStatus
from lockstep.report.status.status import Written, write_status

pytestmark = pytest.mark.asyncio

CONFLICT = Answer(409, {"message": "the object has been modified"})
NOT_FOUND = Answer(404, {"message": "not found", "details": {"name": "g"}})


def served(*, uid="uid-of-g", version="2"):
    return Answer(200, gang("g", uid=uid, version=version))


class Client:
    """Answers a patch and a read; before either answer arrives, what goes with it happens."""

    def __init__(self, patched, read=NOT_FOUND, *, during_patch=lambda: None, during_read=lambda: None):
        self._patched, self._during_patch = patched, during_patch
        self._read, self._during_read = read, during_read

    async def patch(self, *_):
        self._during_patch()
        return self._patched

    async def get(self, *_):
        self._during_read()
        return self._read


@pytest.fixture
def state():
    state = State(lambda: None)
    state.apply_gang(gang_fact("g", uid="uid-of-g"))
    return state


async def write(state, client):
    [fact] = state.gangs.values()
    return (await write_status(client, state, fact, GangStatus())).written


def goes(state):
    def go():
        [fact] = state.gangs.values()
        state.remove_gang(fact.key, fact.uid)

    return go


def is_replaced(state):
    def replace():
        goes(state)()
        state.apply_gang(gang_fact("g", uid="another"))

    return replace


def versions(state):
    return [(fact.uid, fact.resource_version) for fact in state.gangs.values()]


async def test_answer_is_accepted(state):
    assert await write(state, Client(served())) is Written.DONE
    assert versions(state) == [("uid-of-g", "2")]


async def test_gang_that_went_meanwhile_stays_gone(state):
    assert await write(state, Client(served(), during_patch=goes(state))) is Written.GONE
    assert versions(state) == []


async def test_gang_that_took_its_name_meanwhile_stays(state):
    assert await write(state, Client(served(), during_patch=is_replaced(state))) is Written.GONE
    assert versions(state) == [("another", "1")]


async def test_newer_version_is_accepted_after_a_conflict(state):
    assert await write(state, Client(CONFLICT, served(version="3"))) is Written.CONFLICT
    assert versions(state) == [("uid-of-g", "3")]


async def test_gang_that_goes_while_it_is_read_again_stays_gone(state):
    assert await write(state, Client(CONFLICT, served(version="3"), during_read=goes(state))) is Written.GONE
    assert versions(state) == []


async def test_gang_that_is_not_there_is_forgotten(state):
    assert await write(state, Client(CONFLICT, NOT_FOUND)) is Written.GONE
    assert versions(state) == []


async def test_gang_that_has_taken_its_name_is_accepted_though_no_watch_has_shown_it(state):
    assert await write(state, Client(CONFLICT, served(uid="another"))) is Written.GONE
    assert versions(state) == [("another", "2")]
