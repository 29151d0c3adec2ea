"""Gangs of each load, from the plan to the members: each reads what the status says, also after a crash."""

import pytest

from builders.served import bid, gang, node, role
from fake_cluster.api import NEVER_ARRIVED, FakeApi
from fake_cluster.jumping import now, until
from fake_cluster.rig import is_placed, operator_over, pods_of, running_operator, status_of
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

FAST_AND_SLOW = (node("n1", cpu="2"), node("n2", cpu="2"))
TWICE_AS_FAST = bid("n1", capacity="2")
EQUAL = {"work": {"serialTime": "10m"}}
PROPORTIONAL = {**EQUAL, "load": "Proportional"}
PIECES = {**EQUAL, "load": "Pieces", "pieces": 17}


IN_TWO_ROLES = gang(
    "g",
    roles=[
        {**role("gpu", size=2, load="Pieces"), "pieces": 5, "pieceWeight": 5},
        {**role("cpu", size=2, load="Pieces"), "pieces": 8},
    ],
    spec={"work": {"serialTime": "330s"}},
)


def variables_by_rank(api):
    """The variables of each member, by rank."""
    variables = [{one["name"]: one["value"] for one in it["spec"]["containers"][0]["env"]} for it in pods_of(api, "g")]
    return sorted(variables, key=lambda one: int(one["LOCKSTEP_RANK"]))


@pytest.mark.parametrize(
    ("spec", "name", "want"),
    [
        pytest.param(
            PROPORTIONAL,
            "LOCKSTEP_SHARE",
            ["0.333333333333", "0.333333333333", "0.166666666667", "0.166666666667"],
            id="proportional",
        ),
        pytest.param(PIECES, "LOCKSTEP_PIECES", ["0 6", "6 6", "12 3", "15 2"], id="pieces"),
    ],
)
async def test_member_reads_its_part(spec, name, want):
    async with operator_over(*FAST_AND_SLOW, gangs=[gang("g", size=4, spec=spec)], bids=[TWICE_AS_FAST]) as (api, _):
        await until(lambda: is_placed(api))

        assert [one[name] for one in variables_by_rank(api)] == want


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        pytest.param(EQUAL, [{"node": "n1", "count": 2}, {"node": "n2", "count": 2}], id="equal"),
        pytest.param(
            PROPORTIONAL,
            [
                {"node": "n1", "count": 2, "share": "0.333333333333"},
                {"node": "n2", "count": 2, "share": "0.166666666667"},
            ],
            id="proportional",
        ),
        pytest.param(
            PIECES,
            [
                {"node": "n1", "count": 2, "pieces": 6},
                {"node": "n2", "count": 1, "pieces": 3},
                {"node": "n2", "count": 1, "pieces": 2},
            ],
            id="pieces",
        ),
    ],
)
async def test_status_says_what_members_have(spec, want):
    async with operator_over(*FAST_AND_SLOW, gangs=[gang("g", size=4, spec=spec)], bids=[TWICE_AS_FAST]) as (api, _):
        await until(lambda: is_placed(api))

        assert status_of(api)["members"] == want


async def test_each_role_deals_its_own_pieces():
    # A unit takes 10 s. The GPU role has 20 units, so it takes the fast node; the other one has 8.
    gpu = {**role("gpu", load="Pieces"), "pieces": 4, "pieceWeight": 5}
    cpu = {**role("cpu", size=2, load="Pieces"), "pieces": 8}
    whole = gang("g", roles=[gpu, cpu], spec={"work": {"serialTime": "280s"}})
    nodes = (node("n1", cpu="1"), node("n2", cpu="2"))

    async with operator_over(*nodes, gangs=[whole], bids=[TWICE_AS_FAST]) as (api, _):
        await until(lambda: is_placed(api))

        assert status_of(api)["members"] == [
            {"role": "gpu", "node": "n1", "count": 1, "pieces": 4},
            {"role": "cpu", "node": "n2", "count": 2, "pieces": 4},
        ]
        assert [one["LOCKSTEP_PIECES"] for one in variables_by_rank(api)] == ["0 4", "0 4", "4 4"]


@pytest.mark.parametrize(
    "whole",
    [gang("g", size=4, spec=PROPORTIONAL), gang("g", size=4, spec=PIECES), IN_TWO_ROLES],
    ids=["proportional", "pieces", "pieces of two roles"],
)
@pytest.mark.parametrize("created", range(4))
async def test_members_created_after_a_crash_read_what_they_would_have_read(whole, created):
    async with operator_over(*FAST_AND_SLOW, gangs=[whole], bids=[TWICE_AS_FAST]) as (api, _):
        await until(lambda: is_placed(api))
        want = variables_by_rank(api)

    async with FakeApi(now) as api:
        api.store.add("nodes", *FAST_AND_SLOW)
        api.store.add("nodebids", TWICE_AS_FAST)
        api.store.add("gangjobs", whole)
        api.fault = lambda request: (
            NEVER_ARRIVED if is_creation(request) and len(pods_of(api, "g")) == created else None
        )
        async with running_operator(api):
            await until(lambda: status_of(api).get("reservedAt") and len(pods_of(api, "g")) == created)
        api.fault = lambda _: None
        # What the nodes offer now is no matter: the status says what was dealt.
        api.store.change(Place("nodebids", "", "n1"), spec={"capacity": "500m"})
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert variables_by_rank(api) == want
        assert status_of(api)["attempt"] == 1


def is_creation(request):
    return request.verb == "POST" and request.resource == "pods"
