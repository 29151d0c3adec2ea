"""Gangs are planned with what earlier runs of their template took, in the whole operator."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.jumping import until
from fake_cluster.rig import (
    DEFAULT,
    api_with,
    condition,
    is_placed,
    operator_over,
    pods_of,
    running_operator,
    set_phase,
    set_phases,
    status_of,
)
from lockstep.api.gangjob.finished_runs import parse_runs
from lockstep.api.quantities import epoch_seconds
from lockstep.facts.past_runs import Template, run_of

pytestmark = pytest.mark.asyncio

WORK = {"work": {"serialTime": "100s"}}


def timed(name, **more):
    return gang(name, size=1, cpu="8", spec=WORK, **more)


async def run(api, name, *, seconds, end="Succeeded", place=True):
    """Let one gang run for so long."""
    if place:
        api.store.add("gangjobs", timed(name))
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")
    await asyncio.sleep(seconds)
    set_phases(api, name, end)
    await until(lambda: "finishedAt" in status_of(api, name))


async def run_three(api, *, seconds):
    for number in range(3):
        await run(api, f"run-{number}-{seconds}", seconds=seconds)


def predicted(api, name):
    status = status_of(api, name)
    return epoch_seconds(status["expectedFinish"]) - epoch_seconds(status["start"])


def planned(api, name):
    return next(one["message"] for one in status_of(api, name)["conditions"] if one["type"] == "Planned")


async def test_fourth_run_is_planned_with_what_the_first_three_took_and_says_so():
    async with operator_over(node("n1")) as (api, _):
        await run_three(api, seconds=150)
        api.store.add("gangjobs", timed("next"))
        await until(lambda: is_placed(api, "next"))

        assert predicted(api, "run-2-150") == 100
        assert "runTimeFactor" not in status_of(api, "run-2-150")
        assert predicted(api, "next") == pytest.approx(150, abs=1)
        assert status_of(api, "next")["runTimeFactor"] == "1.5"
        assert planned(api, "next").endswith(" Its run times are 1.5 times as stated, like those of its last 3 runs.")


async def test_what_is_learnt_is_not_learned_from_itself():
    async with operator_over(node("n1")) as (api, parts):
        await run_three(api, seconds=200)
        await run(api, "next", seconds=200)

        assert status_of(api, "next")["runTimeFactor"] == "2"
        [runs] = parts.state.past_runs.runs[DEFAULT].values()
        assert [run.thousandths for run in runs] == pytest.approx([2000] * 4, abs=10)
        assert [run.milliseconds for run in runs] == pytest.approx([200_000] * 4, abs=1000)
        assert {run.members for run in runs} == {1}
        assert [run.slowdown for run in runs] == pytest.approx([1000] * 4, abs=10)
        assert parts.metric("lockstep_finished_runs_total", result="kept") == 4
        assert parts.metric("lockstep_learned_run_time_error_ratio_bucket", source="learned", le="0.05") == 1
        assert parts.metric("lockstep_learned_run_time_error_ratio_sum", source="stated") == pytest.approx(1, abs=0.1)
        # Promise and truth go together again.
        assert parts.metric("lockstep_run_time_ratio_bucket", le="1.05") - parts.metric(
            "lockstep_run_time_ratio_bucket", le="0.95"
        ) == pytest.approx(1)


async def test_status_of_a_waiting_gang_says_what_runs_have_shown():
    async with operator_over(node("n1")) as (api, _):
        await run_three(api, seconds=50)
        api.store.add("gangjobs", timed("a"), timed("b"))
        await until(lambda: is_placed(api, "a") and condition(api, "b", "Planned") == ("True", "StartsLater"))

        assert planned(api, "b").endswith(" Its run times are 0.5 times as stated, like those of its last 3 runs.")
        assert epoch_seconds(status_of(api, "b")["start"]) - epoch_seconds(status_of(api, "a")["start"]) == 50
        assert status_of(api, "b")["runTimeFactor"] == "0.5"


async def test_nothing_is_learned_from_a_run_that_was_interrupted_or_failed():
    async with operator_over(node("n1")) as (api, parts):
        await run(api, "failed", seconds=50, end="Failed")
        api.store.add("gangjobs", timed("evicted"))
        await until(lambda: is_placed(api, "evicted"))
        set_phases(api, "evicted", "Running")
        await asyncio.sleep(60)
        [pod] = pods_of(api, "evicted")
        set_phase(api, pod, "Failed", conditions=[{"type": "DisruptionTarget", "status": "True"}])
        await until(lambda: status_of(api, "evicted")["attempt"] == 2)
        await run(api, "evicted", seconds=40, place=False)

        assert len(parts.state.past_runs) == 0


async def test_nothing_is_learned_from_a_gang_of_unknown_run_time():
    async with operator_over(node("n1")) as (api, parts):
        api.store.add("gangjobs", gang("g", size=1))
        await run(api, "g", seconds=50, place=False)

        assert len(parts.state.past_runs) == 0


async def test_nothing_is_learned_from_a_run_too_short_to_be_timed():
    async with operator_over(node("n1")) as (api, parts):
        api.store.add("gangjobs", gang("g", size=1, spec={"work": {"serialTime": "5s"}}))
        await run(api, "g", seconds=50, place=False)

        assert len(parts.state.past_runs) == 0


async def test_run_that_a_restart_falls_into_is_learnt_of_all_the_same():
    """It was planned with 1.5 times what its spec states, which the second process knows from the status alone."""
    async with api_with(node("n1")) as api:
        async with running_operator(api):
            await run_three(api, seconds=150)
            api.store.add("gangjobs", timed("next"))
            await until(lambda: is_placed(api, "next"))
            set_phases(api, "next", "Running")
            await until(lambda: "startedAt" in status_of(api, "next"))
            await asyncio.sleep(100)
        async with running_operator(api) as parts:
            await asyncio.sleep(80)
            set_phases(api, "next", "Succeeded")
            await until(lambda: condition(api, "next", "Complete")[0] == "True")

            [runs] = parts.state.past_runs.runs[DEFAULT].values()
            [run] = runs
            assert run.thousandths == pytest.approx(1800, abs=30)
            assert run.slowdown == pytest.approx(1000, abs=20)


async def test_tenants_do_not_influence_each_other():
    async with operator_over(node("n1")) as (api, parts):
        await run(api, "mine", seconds=100)
        [digest] = parts.state.past_runs.runs[DEFAULT]
        for _ in range(50):
            parts.state.past_runs.learn(Template("theirs", digest), run_of(9))
        await run(api, "next", seconds=100)

        assert predicted(api, "next") == 100
        assert "runTimeFactor" not in status_of(api, "next")


LEARNS = {"work": {"serialTime": "400s", "learn": True}}


def learner(name, size, most=None):
    return gang(name, size=size, most=most, cpu="4", spec=LEARNS)


async def run_learners(api, *sizes, first=0):
    """Runs that take 200 s/P and 50 s."""
    for number, size in enumerate(sizes, start=first):
        api.store.add("gangjobs", learner(f"run-{number}", size))
        await run(api, f"run-{number}", seconds=200 / size + 50, place=False)


async def test_gang_that_learns_is_planned_with_the_law_of_the_runs_once_it_is_better():
    async with operator_over(*[node(f"n{number}", cpu="4") for number in range(8)]) as (api, parts):
        await run_learners(api, 1, 2, 4)
        api.store.add("gangjobs", learner("early", 8))
        await until(lambda: is_placed(api, "early"))
        assert status_of(api, "early")["workUsed"] == {
            "source": "Stated",
            "message": "Lockstep can compare 3 runs with 1, 2 and 4 members, and a formula for the run time needs 5 "
            "runs with 2 sizes.",
        }
        await run(api, "early", seconds=75, place=False)
        await run_learners(api, 2, 4, first=3)

        api.store.add("gangjobs", learner("next", 1, most=8))
        await until(lambda: is_placed(api, "next"))

        status = status_of(api, "next")
        assert status["workUsed"]["source"] == "Learned"
        assert status["workUsed"]["message"].startswith("Forecasts of 6 runs with 1, 2, 4 and 8 members are off by ")
        assert predicted(api, "next") == pytest.approx(200 / status["size"] + 50, abs=2)
        assert "times the run times of the formula that fits its last 6 runs" in planned(api, "next")
        await run(api, "next", seconds=200 / status["size"] + 50, place=False)
        # What was planned with teaches nothing: the run is kept beside what is stated.
        assert float(status_of(api, "next")["speedupReached"]) == pytest.approx(
            250 / (200 / status["size"] + 50), rel=0.05
        )
        [runs] = parts.state.past_runs.runs[DEFAULT].values()
        assert runs[-1].slowdown == pytest.approx(1000, abs=20)
        assert runs[-1].thousandths == pytest.approx(
            1000 * (200 / status["size"] + 50) / (400 / status["size"]), rel=0.03
        )


async def test_gang_that_waits_and_learns_keeps_its_place_after_a_restart():
    async with api_with(*[node(f"n{number}", cpu="4") for number in range(8)]) as api:
        async with running_operator(api) as parts:
            await run_learners(api, 1, 2, 4, 8, 2, 4)
            api.store.add("gangjobs", learner("a", 8), learner("b", 8))
            await until(lambda: is_placed(api, "a") and condition(api, "b", "Planned") == ("True", "StartsLater"))
            before, known = status_of(api, "b"), parts.state.past_runs.runs
            assert before["workUsed"]["source"] == "Learned"
        async with running_operator(api) as parts:
            parts.state.past_runs.remember(known)
            await asyncio.sleep(30)

            assert status_of(api, "b")["start"] == before["start"]
            assert status_of(api, "b")["plan"]["promisedStart"] == before["plan"]["promisedStart"]


async def test_gang_that_does_not_ask_has_no_word_of_whose_run_times_were_used():
    async with operator_over(node("n1")) as (api, _):
        await run_three(api, seconds=150)

        assert "workUsed" not in status_of(api, "run-2-150")
        runs = parse_runs(status_of(api, "run-2-150")["pastRuns"])
        assert [run.milliseconds for run in runs] == pytest.approx([150_000] * 3, abs=1000)


async def test_run_that_seemed_to_take_decades_costs_its_own_template_a_factor_within_bounds():
    """As where the clock was stepped meanwhile."""
    async with operator_over(node("n1")) as (api, parts):
        await run_three(api, seconds=150)
        template = Template(DEFAULT, next(iter(parts.state.past_runs.runs[DEFAULT])))
        parts.state.past_runs.learn(template, run_of(1e9, members=1, slowdown=1, seconds=1e9))
        await run(api, "next", seconds=150)

        # Of few runs the longest counts.
        assert status_of(api, "next")["runTimeFactor"] == "1000"
        assert float(status_of(api, "next")["pastRuns"].split()[-1]) == pytest.approx(1.5, abs=0.01)
