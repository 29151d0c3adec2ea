"""A read of an attempt's pods whose answer comes when watches have shown more."""

import pytest

from builders.facts import gang_fact
from builders.served import owned_by, pod
from lockstep.act.members.member_reads import refresh_members
from lockstep.api.client.answer import Answer
from lockstep.api.names import GANG_LABEL
from lockstep.belief.state import State
from lockstep.watch.kubernetes_kinds import pods_kind

pytestmark = pytest.mark.asyncio

GANG = gang_fact("g", uid="uid-of-g")


def member(rank, *, node="n1", **more):
    return pod(f"g-1-{rank}", node=node, **owned_by("g", rank=rank), **more)


class LateAnswer:
    """Lists these pods; before its answer arrives, ``meanwhile`` happens."""

    def __init__(self, pods, meanwhile):
        self._pods = pods
        self._meanwhile = meanwhile

    async def get(self, *_, **__):
        self._meanwhile()
        return Answer(200, {"metadata": {}, "items": self._pods})


@pytest.fixture
def state():
    state = State(lambda: None)
    state.apply_gang(GANG)
    for rank in range(2):
        pods_kind(state).accept(member(rank))
    return state


async def read_members(state, pods, meanwhile=lambda: None):
    return await refresh_members(LateAnswer(pods, meanwhile), state, GANG, 1)


def names(state):
    return sorted(key.name for key in state.pods)


async def test_pods_that_went_with_their_gang_while_they_were_listed_stay_gone(state):
    going = [member(rank, deletionTimestamp="2026-11-23T06:08:36Z") for rank in range(2)]

    def gang_and_pods_go():
        state.remove_gang(GANG.key, GANG.uid)
        for fact in list(state.pods.values()):
            state.remove_pod(fact.key, fact.uid)

    await read_members(state, going, gang_and_pods_go)

    # No event of them would ever come again, and their room would be taken for ever.
    assert names(state) == []
    assert not state.ledger.release(member(0)["metadata"]["uid"])


async def test_pod_that_went_while_it_was_listed_stays_gone_and_another_is_accepted(state):
    def one_goes():
        fact = next(fact for fact in state.pods.values() if fact.key.name == "g-1-0")
        state.remove_pod(fact.key, fact.uid)

    await read_members(state, [member(0), member(1), member(2)], one_goes)

    assert names(state) == ["g-1-1", "g-1-2"]


async def test_what_the_list_does_not_have_is_gone_and_what_came_meanwhile_stays(state):
    await read_members(state, [member(1)], lambda: pods_kind(state).accept(member(3)))

    assert names(state) == ["g-1-1", "g-1-3"]


async def test_no_listener_is_left_after_a_read(state):
    with pytest.raises(ZeroDivisionError):
        await read_members(state, [], lambda: 1 / 0)
    await read_members(state, [member(0), member(1)])
    with state.counts.roster.collecting_removed() as gone:
        fact = next(iter(state.pods.values()))
        state.remove_pod(fact.key, fact.uid)

    assert gone == {fact.uid}


async def test_member_whose_label_was_removed_counts_and_is_there_until_it_is_gone(state):
    hidden = member(0)
    del hidden["metadata"]["labels"][GANG_LABEL]
    pods_kind(state).accept(hidden)

    left = await read_members(state, [])

    assert [pod.key.name for pod in left] == names(state) == ["g-1-0"]
    assert state.ledger.release(hidden["metadata"]["uid"])
