"""One read of a cluster plans what the operator plans, and changes nothing."""

import asyncio
import re

import pytest

from builders.served import at, bid, gang, node, priority_class
from coschedule import Placement, decision_of
from fake_cluster.api import Refusal
from fake_cluster.elastic import FOUR, elastic, rigid, run
from fake_cluster.jumping import now, until
from fake_cluster.looking import key, read_state, rules
from fake_cluster.rig import (
    DEFAULT,
    api_with,
    condition,
    is_placed,
    operator_over,
    running_operator,
    set_phases,
    status_of,
)
from lockstep.answers.plan import planned as planned_module
from lockstep.answers.plan.chart import ASCII
from lockstep.answers.plan.document import waiting_document
from lockstep.answers.plan.planned import plan_now
from lockstep.answers.plan.text import unplanned_lines, waiting_lines
from lockstep.answers.plan.unplanned_gangs import answer_unplanned
from lockstep.answers.plan.waiting import answer_about
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.pool import Pool
from lockstep.belief.gangs.phases import Phase
from lockstep.facts.sizing import Sizing
from lockstep.report.text.learned import work_used
from lockstep.snapshot import snapshots

WORK = {"work": {"serialTime": "100s", "overhead": {"perMember": "1s"}}}
NODES = [node(f"n{number:02}", cpu="1") for number in range(16)]

pytestmark = pytest.mark.asyncio


async def test_plan_is_that_of_the_operator():
    waiting = [gang(name, size=9, most=12, spec=WORK) for name in ("b", "c")]
    async with operator_over(*NODES, gangs=[gang("a", size=6, most=8, spec=WORK)]) as (api, parts):
        await until(lambda: is_placed(api, "a"))
        for one in waiting:
            api.store.add("gangjobs", one)
        await until(lambda: all(condition(api, name, "Planned") for name in ("b", "c")))
        await until(lambda: parts.cycle.decided and len(parts.cycle.decided.plan.decisions) == 2)
        decided = parts.cycle.decided

        state = await read_state(api)
        planned = plan_now(state, rules(), decided.snapshot.now, asked=[key("b")])

        assert [one.gang.name for one in planned.made.decisions] == [one.gang.name for one in decided.plan.decisions]
        for one in decided.plan.decisions:
            mine = decision_of(planned.made, one.gang)
            assert isinstance(mine, Placement)
            assert (mine.size, mine.member_price) == (one.size, one.member_price)
            assert abs(mine.start - one.start) < 1
        assert [one.key.name for one in planned.running] == ["a"]


async def test_what_was_measured_counts_until_the_bid_expires_and_what_was_promised_goes_on():
    shut = bid("n1", availableFrom=at(now() + 7200), dutyCycle="1", capacity="2", expiresAt=at(now() + 60))
    async with api_with(node("n1"), node("n2"), gangs=[gang("a", size=2, cpu="8", spec=WORK)], bids=[shut]) as api:
        began = now()

        before, after = [
            plan_now(await read_state(api), rules(), began + seconds, asked=[key("a")]) for seconds in (59, 60)
        ]

    assert [decision_of(one.made, key("a")).start for one in (before, after)] == [began + 7200, began + 7200]
    assert [one.snapshot.slowdown.tolist() for one in (before, after)] == [[1.0, 1.0], [0.5, 1.0]]


async def test_node_that_is_not_measured_yet_is_as_fast_as_others_of_its_hardware():
    bids = [bid("n1", capacity="2"), bid("n2")]
    for one, known in zip(bids, ({"capacity": "2"}, {}), strict=True):
        one["status"] = {"measured": {"processor": "EPYC 9, Python 3.11", "message": "Idle.", **known}}
    async with api_with(gangs=[gang("a", size=2, cpu="8", spec=WORK)], bids=bids) as api:
        planned = plan_now(await read_state(api), rules(), now(), asked=[key("a")])

    assert planned.snapshot.slowdown.tolist() == [0.5, 0.5]


async def test_gang_in_front_that_runs_is_what_it_waits_for():
    async with operator_over(*NODES[:2], gangs=[gang("a", size=2, spec=WORK)]) as (api, _):
        await until(lambda: is_placed(api, "a"))
        api.store.add("gangjobs", gang("b", size=2, spec=WORK))
        await until(lambda: condition(api, "b", "Planned") == ("True", "StartsLater"))
        answer = answer_about(plan_now(await read_state(api), rules(), now(), asked=[key("b")]), key("b"))

        assert [type(one.change).__name__ for one in answer.helps] == ["GangEnds"]
        assert answer.helps[0].change.gang.key == key("a")
        assert answer.price.among == (1, 1, 2)
        assert (answer.position, answer.queued) == (1, 1)
        assert status_of(api, "b")["size"] == answer.decision.size


@pytest.mark.parametrize(
    ("sizing", "want_price", "want_size"),
    [
        pytest.param(Sizing.BALANCED, 0.25, 5, id="balanced"),
        pytest.param(Sizing.FASTEST, 0.0, 10, id="fastest"),
        pytest.param(Sizing.FEWEST, 0.0, 1, id="fewest"),
    ],
)
async def test_rules_of_the_operator_are_obeyed(sizing, want_price, want_size):
    gangs = [gang(name, size=1, most=16, spec=WORK) for name in ("a", "b")]
    async with api_with(*NODES, gangs=gangs) as api:
        planned = plan_now(await read_state(api), rules(sizing), now(), asked=[key("a")])

        assert planned.prices[key("a")].seconds == want_price
        assert decision_of(planned.made, key("a")).size == want_size


async def test_gang_that_was_refused_makes_no_member_dearer():
    async with operator_over(*NODES, gangs=[gang(f"giant{one}", size=99, spec=WORK) for one in range(5)]) as (api, _):
        await until(lambda: all(condition(api, f"giant{one}", "Planned") for one in range(5)))
        api.store.add("gangjobs", gang("a", size=1, most=16, spec=WORK))
        planned = plan_now(await read_state(api), rules(), now(), asked=[key("a")])

        assert planned.prices[key("a")].seconds == 0.0
        assert planned.prices[key("a")].among.waiting == 1


async def test_gang_that_is_asked_about_is_planned_however_long_the_queue_is(monkeypatch):
    monkeypatch.setattr(planned_module, "MOST_IN_FRONT", 8)
    gangs = [gang(f"g{number:02}", size=1, spec=WORK) for number in range(20)]
    async with api_with(*NODES, gangs=gangs) as api:
        planned = plan_now(await read_state(api), rules(), now(), asked=[key("g19")])

        assert decision_of(planned.made, key("g19")).gang == key("g19")
        assert len(planned.made.decisions) < 20


async def test_pool_of_the_operator_is_no_label_that_could_be_dropped():
    nodes = [node("in", cpu="1", labels={"pool": "gangs"}), node("out", labels={"pool": "others"})]
    async with api_with(*nodes, gangs=[gang("g", size=2)]) as api:
        state = await read_state(api, pool=Pool(selector=(("pool", "gangs"),)))
        answer = answer_about(plan_now(state, rules(), now(), asked=[key("g")]), key("g"))

        assert {type(one.change).__name__ for one in answer.helps} == {"FewerMembers"}
        assert [room.nodes for room in answer.room] == [1]


async def test_gang_that_makes_planning_raise_is_reported_in_one_sentence(monkeypatch):
    async with api_with(gangs=[gang("g")]) as api:
        state = await read_state(api)
        monkeypatch.setattr(snapshots, "pending_gang", spoilt)

        with pytest.raises(AnswerError, match="Planning default/g failed by an error in Lockstep: ArithmeticError"):
            plan_now(state, rules(), now(), asked=[key("g")])


def spoilt(*_):
    message = "no such number"
    raise ArithmeticError(message)


async def test_gangs_that_would_give_way_are_named():
    async with api_with(node("n1", cpu="2"), gangs=[gang("cold")]) as api:
        async with running_operator(api):
            await until(lambda: is_placed(api, "cold"))
            set_phases(api, "cold", "Running")
            await until(lambda: status_of(api, "cold").get("startedAt"))
        api.store.create("priorityclasses", priority_class("urgent", 100))
        api.store.create("gangjobs", gang("hot", spec={"priorityClassName": "urgent"}))
        answer = answer_about(plan_now(await read_state(api), rules(), now() + 60, asked=[key("hot")]), key("hot"))

        assert answer.victims == (key("cold"),)
        assert "It preempts gang default/cold, and starts when the members of that gang have ended." in list(
            waiting_lines(answer, ASCII)
        )


async def test_gangs_that_would_shrink_are_named():
    async with api_with(*FOUR) as api:
        async with running_operator(api):
            await run(api, elastic())
        api.store.create("priorityclasses", priority_class("urgent", 100))
        api.store.create("gangjobs", rigid("hot", size=2, priorityClassName="urgent"))
        answer = answer_about(plan_now(await read_state(api), rules(), now() + 3600, asked=[key("hot")]), key("hot"))

        assert (answer.victims, [change.size_after for change in answer.shrinks]) == ((), [2])
        [line] = [one for one in waiting_lines(answer, ASCII) if one.startswith("For it, ")]
        assert re.fullmatch(r"For it, gang default/g shrinks from 4 to 2 members: it ends 99 h \d+ min later\.", line)
        [shown] = waiting_document(answer)["shrinks"]
        assert (shown["gang"]["name"], shown["was"], shown["size"]) == ("g", 4, 2)


async def test_no_gang_waits():
    async with api_with() as api:
        assert plan_now(await read_state(api), rules(), now(), asked=[]).made.decisions == ()


async def test_nothing_is_written():
    async with api_with(gangs=[gang("g")]) as api:
        before = len(api.requests)
        state = await read_state(api)
        answer_about(plan_now(state, rules(), now(), asked=[key("g")]), key("g"))

        assert {request.verb for request in api.requests[before:]} == {"GET"}


async def test_list_that_is_refused_is_one_sentence():
    async with api_with() as api:
        api.fault = lambda request: (
            Refusal(code=403, message='nodes is forbidden: User "x" cannot list resource "nodes"')
            if request[:2] == ("GET", "nodes")
            else None
        )
        with pytest.raises(AnswerError, match="The verb list on nodes of all namespaces is needed, and was refused"):
            await read_state(api)


async def test_kinds_that_are_not_there_say_what_to_do():
    async with api_with() as api:
        api.fault = lambda request: (
            Refusal(code=404, message="page not found") if request[:2] == ("GET", "gangjobs") else None
        )
        with pytest.raises(AnswerError, match="does not know gangjobs: apply the CRDs first"):
            await read_state(api)


async def test_gang_that_is_placed_says_why_it_has_what_it_has():
    async with api_with(gangs=[gang("g", size=2, spec=WORK)]) as api:
        async with running_operator(api):
            await until(lambda: is_placed(api, "g"))
        state = await read_state(api)
        answer = answer_unplanned(state, state.gangs[key("g")])

        assert answer.phase is Phase.PLACED
        assert answer.message == "All 2 members are bound."
        assert answer.why is not None
        assert re.match(
            r"2 members on n1. The gang's speed-up over one idle reference node is [\d.]+, including the wait",
            answer.why,
        )
        assert (answer.size, sum(one.count for one in answer.members)) == (2, 2)


@pytest.mark.parametrize(
    ("spec", "want_phase", "want_message"),
    [
        pytest.param(
            {"suspend": True},
            Phase.SUSPENDED,
            "It is suspended: it is planned again when it is resumed.",
            id="suspended",
        ),
        pytest.param({"deadline": "never"}, Phase.REFUSED, "never", id="refused"),
        pytest.param(
            {"priorityClassName": "none"},
            Phase.REFUSED,
            "priorityClassName: there is no PriorityClass none.",
            id="class that is not there",
        ),
    ],
)
async def test_gang_that_is_not_planned_says_how_far_it_is(spec, want_phase, want_message):
    async with api_with(gangs=[gang("g", spec=spec)]) as api:
        state = await read_state(api)
        answer = answer_unplanned(state, state.gangs[key("g")])

        assert answer.phase is want_phase
        assert want_message in answer.message
        assert answer.members == ()


LEARNS = {"work": {"serialTime": "400s", "learn": True}}


async def run_learners(api):
    """Let gangs end that took 200 s/P and 50 s."""
    for number, size in enumerate([1, 2, 4, 8, 2, 4]):
        api.store.add("gangjobs", gang(f"run-{number}", size=size, cpu="1", spec=LEARNS))
        await until(lambda name=f"run-{number}": is_placed(api, name))
        set_phases(api, f"run-{number}", "Running")
        await asyncio.sleep(200 / size + 50)
        set_phases(api, f"run-{number}", "Succeeded")
        await until(lambda name=f"run-{number}": condition(api, name, "Complete")[0] == "True")


async def test_gang_that_learns_is_planned_here_too_with_what_statuses_show_of_runs():
    async with operator_over(*NODES[:8]) as (api, _):
        await run_learners(api)
        api.store.add("gangjobs", gang("a", size=8, cpu="1", spec=LEARNS), gang("b", size=8, cpu="1", spec=LEARNS))
        await until(lambda: is_placed(api, "a") and condition(api, "b", "Planned") == ("True", "StartsLater"))

        state = await read_state(api)
        decision = plan_now(state, rules(), now(), asked=[key("b")]).made.decisions[0]
        held = answer_unplanned(state, state.gangs[key("a")])

        assert decision.finish - decision.start == pytest.approx(75, abs=2)
        assert held.work_used.source == "Learned"
        shown = " ".join(" ".join(unplanned_lines(held)).split())
        assert (
            "Its run times follow the formula of earlier runs of its template: forecasts of 6 runs with 1, 2, 4"
            in shown
        )
        learned = state.past_runs.in_force(state.gangs[key("b")])
        assert work_used(state.gangs[key("b")], learned)._asdict() == status_of(api, "b")["workUsed"]


async def test_forged_and_missing_words_of_runs_leave_the_times_that_are_stated():
    async with api_with(*NODES[:8]) as api:
        for name, runs in (("forged", "1 2 3 4, 0 0 0 0"), ("odd", "8 8 8 8"), ("none", None)):
            manifest = gang(name, size=8, cpu="1", spec=LEARNS)
            manifest["status"] = {} if runs is None else {"pastRuns": runs}
            api.store.add("gangjobs", manifest)

        decisions = plan_now(await read_state(api), rules(), now(), asked=[key("none")]).made.decisions

        assert [one.finish - one.start for one in decisions] == [50, 50, 50]


async def test_quota_bounds_the_sizes_that_are_compared():
    async with api_with(*NODES, gangs=[gang("wide", size=2, most=12, spec=WORK)]) as api:
        set_quota(api, 5)
        planned = plan_now(await read_state(api), rules(), now(), asked=[key("wide")])

    assert decision_of(planned.made, key("wide")).size == 5


async def test_gang_that_a_quota_keeps_from_starting_is_said_so():
    async with api_with(*NODES, gangs=[gang("wide", size=6), gang("other", size=1)]) as api:
        set_quota(api, 5)
        state = await read_state(api)

    with pytest.raises(AnswerError, match=r"wide is not planned now: it needs 6 members.* quota small allows 5"):
        plan_now(state, rules(), now(), asked=[key("wide")])
    assert plan_now(state, rules(), now(), asked=[key("other")]).snapshot.gangs


def set_quota(api, pods):
    status = {"hard": {"pods": str(pods)}, "used": {"pods": "0"}}
    api.store.create("resourcequotas", {"metadata": {"name": "small", "namespace": DEFAULT}, "status": status})
