"""A size is asked for, of an elastic gang that waits or runs; other gangs get one sentence."""

import pytest

from builders.served import at, gang, role
from coschedule import GangKey
from fake_cluster.api import FakeApi
from fake_cluster.jumping import now
from fake_cluster.rig import gang_place
from lockstep.answers.reading.cluster import one_client
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.resize import resize_gang

pytestmark = pytest.mark.asyncio

KEY = GangKey("default", "g")
ELASTIC = {"work": {"serialTime": "9h"}, "elastic": {"mode": "Restart"}}
RUNS = {"attempt": 1, "size": 4, "reservedAt": at(0), "members": [{"node": "n1", "count": 4}]}
UNDONE = {"type": "Placed", "status": "False", "reason": "Undoing", "lastTransitionTime": at(0)}
CHANGES = {
    **RUNS,
    "conditions": [UNDONE],
    "next": {
        "size": 2,
        "members": [{"node": "n1", "count": 2}],
        "decidedAt": at(0),
        "expectedFinish": at(9),
        "why": "shrinks",
    },
}
HAS_NOTICE = {**RUNS, "next": {**CHANGES["next"], "beginsAt": at(5)}}
JOINS = {
    "attempt": 1,
    "reservedAt": at(0),
    "size": 2,
    "next": {**CHANGES["next"], "members": [{"node": "n1", "count": 4}]},
}
ENDED = {"conditions": [{"type": "Complete", "status": "True", "reason": "Succeeded", "lastTransitionTime": at(0)}]}


async def asked(size, *, status=None, **manifest):
    """Ask for a size of that gang; the answer, and what its spec says about its size then."""
    async with FakeApi(now) as api, one_client(api.configuration) as client:
        api.store.create(
            "gangjobs", {**gang("g", **{"size": 2, "most": 6, "spec": ELASTIC, **manifest}), "status": status or {}}
        )
        said = await resize_gang(client, KEY, size)
        return said, api.store.get(gang_place("g"))["spec"]["elastic"]


@pytest.mark.parametrize(
    ("size", "status", "want"),
    [
        (3, {}, "default/g waits, and it starts with 3 members."),
        (
            3,
            {"attempt": 1},
            "default/g waits, and it starts as soon as it can, and changes to 3 members when there is room",
        ),
        (3, CHANGES, "default/g is changing to 2 members already. After that it changes to 3."),
        (2, CHANGES, "default/g is changing to 2 members already. It keeps them."),
        (3, HAS_NOTICE, "default/g has 4 members, and changes to 3 soon."),
        (2, HAS_NOTICE, "default/g is changing to 2 members already. It keeps them."),
        (3, JOINS, "default/g has 2 members, and changes to 3 when there is room for them."),
        (4, JOINS, "default/g is changing to 4 members already. It keeps them."),
        (3, RUNS, "default/g has 4 members, and changes to 3 soon."),
        (6, RUNS, "default/g has 4 members, and changes to 6 when there is room for them."),
        (4, RUNS, "default/g has 4 members, and keeps them."),
        (None, RUNS, "Lockstep chooses the size of default/g from now on."),
    ],
)
async def test_spec_has_the_size_and_the_answer_says_what_happens(size, status, want):
    said, elastic = await asked(size, status=status)

    assert said.startswith(want)
    assert elastic.get("size") == size


async def test_suspended_gang_changes_when_it_is_resumed():
    said, _ = await asked(3, spec={**ELASTIC, "suspend": True})

    assert said == "default/g is suspended. When it is resumed, it starts with 3 members."


@pytest.mark.parametrize(
    ("size", "manifest", "want"),
    [
        (7, {}, "GangJob default/g can't have 7 members: it may have 2 to 6."),
        (1, {}, "GangJob default/g can't have 1 member: it may have 2 to 6."),
        (
            3,
            {"spec": {**ELASTIC, "size": {"allowed": [2, 4]}}},
            "GangJob default/g can't have 3 members: it may have one of 2, 4.",
        ),
        (
            3,
            {"spec": {**ELASTIC, "size": {"min": 2, "max": 6, "multipleOf": 2}}},
            "GangJob default/g can't have 3 members: it may have 2 to 6, in multiples of 2.",
        ),
        (
            3,
            {"spec": {**ELASTIC, "work": {"profile": [{"members": 4, "time": "9h"}]}}},
            "GangJob default/g can't have 3 members: its work.profile has no run time for it.",
        ),
        (
            5,
            {"spec": {**ELASTIC, "load": "Pieces", "pieces": 4, "dealing": "WhileRunning"}},
            "GangJob default/g can't have 5 members: it may have 2 to 4.",
        ),
        (3, {"spec": {}}, "GangJob default/g has no spec.elastic, so it keeps its size while it runs."),
        (3, {"status": ENDED}, "GangJob default/g has ended."),
        (3, {"cpu": "-1"}, "GangJob default/g is refused: "),
    ],
)
async def test_size_that_is_impossible_is_one_sentence(size, manifest, want):
    with pytest.raises(AnswerError) as caught:
        await asked(size, **manifest)

    assert str(caught.value).startswith(want)


LAUNCHER = role("launcher", load="None")


@pytest.mark.parametrize(
    ("workers", "size", "want"),
    [
        pytest.param(role("workers", size=2, most=6), 3, None, id="the fewest"),
        pytest.param(role("workers", size=2, most=6), 7, None, id="the most"),
        pytest.param(role("workers", size=2, most=6), 2, "2 members: it may have 3 to 7.", id="too few"),
        pytest.param(role("workers", size=2, most=6), 8, "8 members: it may have 3 to 7.", id="too many"),
        pytest.param(
            {**role("workers"), "size": {"min": 2, "max": 6, "multipleOf": 2}},
            4,
            "4 members: it may have 3 to 7, those of role workers in multiples of 2.",
            id="multiples",
        ),
        pytest.param(
            {**role("workers"), "size": {"allowed": [2, 4]}}, 4, "4 members: it may have one of 3, 5.", id="a list"
        ),
    ],
)
async def test_size_of_a_gang_of_several_roles_is_that_of_all_members(workers, size, want):
    manifest = {"roles": [LAUNCHER, workers], "spec": ELASTIC}
    if want is None:
        said, elastic = await asked(size, **manifest)
        assert (said, elastic["size"]) == (f"default/g waits, and it starts with {size} members.", size)
        return

    with pytest.raises(AnswerError) as caught:
        await asked(size, **manifest)

    assert str(caught.value) == f"GangJob default/g can't have {want}"


async def test_gang_that_is_not_there_is_one_sentence():
    async with FakeApi(now) as api, one_client(api.configuration) as client:
        with pytest.raises(AnswerError, match=r"^There is no GangJob default/g\.$"):
            await resize_gang(client, KEY, 3)
