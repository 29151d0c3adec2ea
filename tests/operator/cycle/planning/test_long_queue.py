"""A queue that is longer than one plan can be, in the whole operator."""

import asyncio

import pytest

from builders.served import at, gang, node
from fake_cluster.jumping import now, until
from fake_cluster.rig import INLINE, condition, is_placed, operator_over, set_phases, status_of
from lockstep.cycle.planning.planning import PlanOptions

pytestmark = pytest.mark.asyncio

FOUR = PlanOptions(run=INLINE.run, most_in_front=4)
WORK = {"work": {"serialTime": "100s"}}


def waiting(count, **more):
    return [gang(f"g{number:02}", size=1, cpu="8", **more) for number in range(count)]


async def test_statuses_of_gangs_far_behind_say_how_many_are_in_front():
    async with operator_over(node("n1"), gangs=waiting(20, spec=WORK), plans=FOUR) as (api, _):
        await until(lambda: is_placed(api, "g00"))
        await until(lambda: condition(api, "g19", "Planned") == ("False", "BehindInQueue"))

        assert condition(api, "g01", "Planned") == ("True", "StartsLater")
        message = status_of(api, "g19")["conditions"][1]["message"]
        assert message.startswith("10 gangs or more are in front of it")


async def test_long_queue_is_placed_in_order():
    async with operator_over(node("n1"), gangs=waiting(12, spec=WORK), plans=FOUR) as (api, _):
        for number in range(12):
            await until(lambda name=f"g{number:02}": is_placed(api, name), seconds=60)
            set_phases(api, f"g{number:02}", "Succeeded")


@pytest.mark.parametrize("changes", range(3))
async def test_long_queue_is_placed_in_order_where_the_ends_of_runs_are_unknown(changes):
    nodes = [node(f"n{number:02}") for number in range(12)]
    plans = PlanOptions(run=INLINE.run, most_in_front=6)
    async with operator_over(*nodes, gangs=[gang("a", size=12, cpu="8")], plans=plans) as (api, parts):
        await until(lambda: is_placed(api, "a"))
        api.store.add("gangjobs", *waiting(37))
        await asyncio.sleep(20)
        for _ in range(changes):
            parts.state.changes.record_change(needs_plan=True)
            await asyncio.sleep(0.03)
        set_phases(api, "a", "Succeeded")
        await asyncio.sleep(20)

        assert [number for number in range(37) if is_placed(api, f"g{number:02}")] == list(range(12))


async def test_hopeless_gangs_in_front_keep_no_other_waiting():
    hopeless = [gang(f"a{number:02}", size=1, cpu=f"{9 + number}") for number in range(40)]
    async with operator_over(node("n1"), gangs=hopeless, plans=FOUR) as (api, _):
        api.store.create("gangjobs", gang("z", size=1, creationTimestamp=at(now())))
        await until(lambda: is_placed(api, "z"), seconds=60)


async def test_gang_for_idle_nodes_does_not_wait_for_those_in_front_that_need_others():
    busy = [
        gang(f"a{number:02}", size=1, cpu="8", spec=WORK, pod_spec={"nodeSelector": {"pool": "x"}})
        for number in range(20)
    ]
    async with operator_over(node("n1", labels={"pool": "x"}), node("n2"), gangs=busy, plans=FOUR) as (api, _):
        await until(lambda: is_placed(api, "a00"))
        api.store.create("gangjobs", gang("z", size=1, creationTimestamp=at(now()), spec=WORK))
        await until(lambda: is_placed(api, "z"), seconds=60)


async def test_long_queue_that_nothing_happens_to_is_left_alone():
    async with operator_over(node("n1"), gangs=waiting(30, spec=WORK), plans=FOUR) as (api, parts):
        await until(lambda: condition(api, "g29", "Planned"))
        await asyncio.sleep(40)
        writes, cycles = len(api.writes), parts.metric("lockstep_cycles_total", result="ok")
        await asyncio.sleep(30)

        assert len(api.writes) == writes
        assert parts.metric("lockstep_cycles_total", result="ok") == cycles


async def test_statuses_of_gangs_behind_one_that_overruns_are_written_seldom():
    """Thirty gangs wait behind one that takes far longer than it said."""
    gangs = [gang("a", size=1, cpu="8", spec={"work": {"serialTime": "20s"}}), *waiting(30, spec=WORK)]
    async with operator_over(node("n1"), gangs=gangs) as (api, parts):
        await until(lambda: condition(api, "g29", "Planned") == ("True", "StartsLater"))
        await asyncio.sleep(30)
        before = len(api.writes)
        for _ in range(30):
            parts.state.changes.record_change(needs_plan=True)
            await asyncio.sleep(1)

        assert len(api.writes) - before <= 30


async def test_the_event_loop_turns_between_gangs_that_start_together(monkeypatch):
    nodes = [node(f"n{number:02}") for number in range(45)]
    async with operator_over(*nodes, plans=PlanOptions(run=INLINE.run)) as (api, parts):
        held_by_turn, hold, clock = [0], parts.state.assumptions.hold, [0.0]

        def counted(reservation):
            if not held_by_turn[-1]:
                asyncio.get_running_loop().call_soon(held_by_turn.append, 0)
            held_by_turn[-1] += 1
            clock[0] += 0.002
            hold(reservation)

        monkeypatch.setattr("lockstep.cycle.clockwork.turns.perf_counter", lambda: clock[0])
        monkeypatch.setattr(parts.state.assumptions, "hold", counted)
        api.store.add("gangjobs", *waiting(45))
        await until(lambda: is_placed(api, "g44"), seconds=60)

        assert sum(held_by_turn) >= 45
        assert max(held_by_turn) == 3
