"""How large gangs are made while others wait or run."""

import pytest

from builders.served import gang, node, priority_class
from fake_cluster.jumping import now, until
from fake_cluster.rig import api_with, condition, is_placed, operator_over, running_operator, status_of
from lockstep.api.quantities import rfc3339
from lockstep.cycle.planning.planning import PlanOptions
from lockstep.cycle.planning.sizing import Contention, SizingPolicy
from lockstep.facts.fair_share import FairShare, NamedGroup
from lockstep.facts.sizing import Sizing

NODES = [node(f"n{number:02}", cpu="1") for number in range(16)]
# 100 s divided by the members, and a second for each of them: 10 end soonest.
WORK = {"work": {"serialTime": "100s", "overhead": {"perMember": "1s"}}}


def plans(sizing):
    return PlanOptions(sizing=SizingPolicy(sizing=sizing))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("sizing", "want"),
    [
        # With two gangs that wait for 16 nodes a member-second counts 4·(2 - 1 + 0)/16 = 0.25 s.
        pytest.param(Sizing.BALANCED, [5, 5], id="balanced"),
        pytest.param(Sizing.FASTEST, [10, 6], id="each as fast as it can be"),
        pytest.param(Sizing.FEWEST, [1, 1], id="fewest"),
    ],
)
async def test_sizing_decides_how_many_members_two_gangs_get(sizing, want):
    gangs = [gang(name, size=1, most=16, spec=WORK) for name in ("a", "b")]
    async with operator_over(*NODES, gangs=gangs, plans=plans(sizing)) as (api, _):
        await until(lambda: is_placed(api, "a") and is_placed(api, "b"))

        assert [status_of(api, name)["size"] for name in ("a", "b")] == want


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "groups",
    [(), ("all",), ("first", "second"), ("first", "second", "idle")],
    ids=["without", "one", "two", "two-beside-one-that-is-idle"],
)
async def test_groups_with_equal_use_have_the_sizes_and_the_price_of_no_groups(groups):
    """A member-second counts 4·(2 - 1 + 0)/16 = 0.25 s, whichever group waits."""
    async with operator_over(*NODES) as (api, parts):
        if groups:
            named = tuple(NamedGroup(name, 1, (name,)) for name in groups)
            parts.state.shares.apply(FairShare(uid="uid", resource_version="1", groups=named))
            parts.state.shares.begin(None, now())
        found = [(namespace, gang("g", size=1, most=16, spec=WORK)) for namespace in ("first", "second")]
        for namespace, one in found:
            one["metadata"]["namespace"] = namespace
            api.store.create("gangjobs", one)
        await until(lambda: all(status_in(api, namespace).get("size") for namespace, _ in found))

        assert [(status_in(api, one)["size"], status_in(api, one)["memberPrice"]) for one, _ in found] == [
            (5, "0.25"),
            (5, "0.25"),
        ]


def status_in(api, namespace):
    [found] = api.store.objects("gangjobs", namespace)
    return found.get("status", {})


@pytest.mark.asyncio
async def test_gang_that_is_alone_gets_what_makes_it_fastest_and_no_price():
    async with operator_over(*NODES, gangs=[gang("a", size=1, most=16, spec=WORK)]) as (api, parts):
        await until(lambda: is_placed(api, "a"))

        assert status_of(api, "a")["size"] == 10
        assert "memberPrice" not in status_of(api, "a")
        assert parts.metric("lockstep_member_price_seconds") == 0


@pytest.mark.asyncio
async def test_price_counts_those_that_run_and_is_reported():
    async with operator_over(*NODES, gangs=[gang("runs", size=1)]) as (api, parts):
        await until(lambda: is_placed(api, "runs"))
        api.store.add("gangjobs", gang("a", size=1, most=15, spec=WORK))
        await until(lambda: is_placed(api, "a"))

        # One waits, one holds nodes: 4·(1 - 1 + 1)/16.
        assert status_of(api, "a")["size"] == 5
        assert status_of(api, "a")["memberPrice"] == "0.25"
        assert parts.metric("lockstep_member_price_seconds") == 0.25
        assert condition(api, "a", "Planned") == ("True", "Reserved")


@pytest.mark.asyncio
async def test_gangs_that_fit_nowhere_make_no_other_gangs_members_dearer():
    giants = [gang(f"giant{number}", size=99, spec=WORK) for number in range(20)]
    async with operator_over(*NODES, gangs=giants) as (api, _):
        await until(lambda: all(condition(api, one["metadata"]["name"], "Planned") for one in giants))
        api.store.add("gangjobs", gang("a", size=1, most=16, spec=WORK))
        await until(lambda: is_placed(api, "a"))

        assert status_of(api, "a")["size"] == 10


@pytest.mark.asyncio
async def test_deadline_asks_for_the_fewest_members_whatever_they_cost():
    created = rfc3339(now())
    in_time = gang("a", size=1, most=15, spec={**WORK, "deadline": "30s"}, creationTimestamp=created)
    async with operator_over(*NODES, gangs=[gang("runs", size=1), in_time]) as (api, _):
        await until(lambda: is_placed(api, "a"))

        # Four take 29 s; the five that would be the best of all sizes take 25.
        assert status_of(api, "a")["size"] == 4
        assert "memberPrice" not in status_of(api, "a")


@pytest.mark.asyncio
async def test_gang_may_ask_for_what_takes_less_from_others():
    gangs = [gang("a", size=1, most=16, spec={**WORK, "sizing": "Fewest"}), gang("b", size=1, most=16, spec=WORK)]
    async with operator_over(*NODES, gangs=gangs) as (api, _):
        await until(lambda: is_placed(api, "a") and is_placed(api, "b"))

        assert [status_of(api, name)["size"] for name in ("a", "b")] == [1, 5]


@pytest.mark.asyncio
async def test_gang_that_would_take_more_needs_a_class_that_allows_it():
    greedy = gang("a", size=1, most=16, spec={**WORK, "sizing": "Fastest"})
    async with operator_over(*NODES, gangs=[gang("b", size=1), greedy]) as (api, _):
        await until(lambda: condition(api, "a", "Accepted") == ("False", "InvalidSpec"))
        said = next(one["message"] for one in status_of(api, "a")["conditions"] if one["type"] == "Accepted")
        assert said == (
            "sizing: Fastest is not allowed, because it takes more from other gangs than Balanced. It has no "
            "PriorityClass with the annotation lockstep.dev/allowed-sizing: Fastest."
        )
        usual = priority_class("usual", 0, is_default=True)
        usual["metadata"]["annotations"] = {"lockstep.dev/allowed-sizing": "Fastest"}
        api.store.create("priorityclasses", usual)
        await until(lambda: is_placed(api, "a"))

        assert status_of(api, "a")["size"] == 10


@pytest.mark.asyncio
@pytest.mark.parametrize("text", ["fastest", "", "Balanced", "🦀"])
async def test_class_whose_annotation_says_something_else_allows_nothing(text):
    usual = priority_class("usual", 0, is_default=True)
    usual["metadata"]["annotations"] = {"lockstep.dev/allowed-sizing": text}
    async with api_with(*NODES, gangs=[gang("a", size=1, spec={**WORK, "sizing": "Fastest"})]) as api:
        api.store.create("priorityclasses", usual)
        async with running_operator(api):
            await until(lambda: condition(api, "a", "Accepted") == ("False", "InvalidSpec"))

            assert "PriorityClass usual has no annotation" in str(status_of(api, "a")["conditions"])


@pytest.mark.parametrize(
    ("waiting", "running", "nodes", "want"),
    [
        pytest.param(1, 0, 100, 0.0, id="no other"),
        pytest.param(3, 2, 100, 0.16, id="two others wait and two run"),
        pytest.param(3, 2, 0, 0.0, id="no nodes"),
    ],
)
def test_member_price(waiting, running, nodes, want):
    prices = {
        sizing: SizingPolicy(sizing=sizing).member_price(Contention(waiting, running, nodes)) for sizing in Sizing
    }

    assert prices == {Sizing.BALANCED: want, Sizing.FASTEST: 0.0, Sizing.FEWEST: 0.0}
