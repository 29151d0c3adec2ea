"""A GangJob that is not there is planned beside all others, coarsely, and leaves nothing behind."""

import dataclasses
import re
import typing

import pytest

from builders.manifests import gang
from builders.scene import HOUR, Scene
from coschedule import GangKey
from fake_cluster.looking import rules
from lockstep.answers.plan.planned import plan_now
from lockstep.facts.cluster.quota import Amount, QuotaFact, QuotaKey
from lockstep.tenants.supposing.coarse_plan import (
    CoarsePlan,
    CoarseRun,
    UnplannedError,
    plan_with,
    suppose_gang_job,
)
from lockstep.tenants.supposing.questions import Question

NOW = 1_800_000_000.0
WORK = {"work": {"serialTime": "1h"}}


@pytest.fixture
def scene():
    """A node that a gang of another namespace has for an hour and a second, and one that is free."""
    scene = Scene()
    scene.add_node("n1")
    scene.submit("okapi", seconds=HOUR + 1, created=NOW, namespace="zebra")
    scene.plan(NOW)
    scene.add_node("n2")
    return scene


def planned_with(scene, namespace="tenant", **spec):
    before = plan_now(scene.state, rules(), NOW, asked=())
    manifest = gang("asked", cpu="1m", **spec)
    supposed = suppose_gang_job(scene.state, Question(namespace, "asked", manifest["spec"]), NOW)
    return plan_with(scene.state, rules(), before, supposed, NOW)


def test_gang_that_fits_starts_at_once_and_its_end_is_rounded_up(scene):
    plan = planned_with(scene, size=1, **WORK)

    assert (plan.reason, plan.run) == ("StartsNow", CoarseRun(1, 0, 60))


def test_start_behind_another_gang_is_rounded_to_five_minutes(scene):
    plan = planned_with(scene, size=2, **WORK)

    assert (plan.reason, plan.run.size, plan.run.starts) == ("StartsLater", 2, 65)
    assert plan.run.ends % 5 == 0
    assert "okapi" not in str(plan)
    assert "zebra" not in str(plan)
    assert "n1" not in str(plan)


def test_end_in_an_answer_finds_out_no_exact_start(scene):
    """The other gang ends a second after the hour. Questions of many lengths would show it, if ends were exact."""
    ends = [planned_with(scene, size=2, work={"serialTime": f"{seconds}s"}).run.ends for seconds in (590, 600)]

    assert ends == [70, 70]


def test_gang_that_fits_nowhere_has_a_sentence(scene):
    plan = planned_with(scene, size=9)

    assert (plan.reason, plan.run) == ("NotEnoughRoom", None)
    assert plan.why_not.startswith("It needs 9 members, ")


def test_deadline_in_a_question_finds_out_no_exact_time(scene):
    plan = planned_with(scene, size=2, **WORK, deadline="20m")

    assert plan.reason == "DeadlineCannotBeMet"
    assert re.findall(r"\d+ s\b", plan.why_not) == []
    minutes = [int(one) for one in re.findall(r"(\d+) min\b", plan.why_not)]
    assert len(minutes) == 2
    assert [one % 5 for one in minutes] == [0, 0]


def test_only_gangs_of_the_namespace_are_said_to_be_delayed(scene):
    """All have to wait for the second node; the asked one is more than an hour long, and first by its size."""
    for namespace in ("tenant", "zebra"):
        scene.submit("later", size=2, seconds=HOUR, created=NOW, namespace=namespace)
    delays = planned_with(scene, size=2, **WORK).delays

    assert {one.name for one in delays} <= {"later"}
    assert len(delays) <= 1


@pytest.mark.parametrize("size", [1, 9], ids=["placed", "refused"])
def test_cache_is_as_before(scene, size):
    planned_with(scene, size=size, **WORK)

    assert {*scene.state.gangs} == {GangKey("zebra", "okapi")}
    assert planned_with(scene, size=size, **WORK) == planned_with(scene, size=size, **WORK)


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        pytest.param({"after": [{"name": "never", "kind": "GangJob", "when": "Succeeded"}]}, "waits for", id="after"),
        pytest.param({"suspend": True}, "is suspended", id="suspended"),
    ],
)
def test_gang_that_is_not_planned_has_a_sentence_and_leaves_nothing(scene, spec, want):
    with pytest.raises(UnplannedError, match=want):
        planned_with(scene, **{"size": 1, **spec})
    assert {*scene.state.gangs} == {GangKey("zebra", "okapi")}


def test_quota_in_the_way_is_said_and_is_no_mistake(scene):
    amount = Amount("pods", hard=1, used=0)
    scene.state.quotas.apply(QuotaFact(QuotaKey("tenant", "small"), {"pods": amount}))

    with pytest.raises(UnplannedError, match=r"tenant/asked is not planned now: .*quota small"):
        planned_with(scene, size=2, **WORK)
    assert {*scene.state.gangs} == {GangKey("zebra", "okapi")}


def test_gang_that_is_there_is_not_supposed(scene):
    with pytest.raises(UnplannedError, match="zebra/okapi exists already"):
        suppose_gang_job(scene.state, Question("zebra", "okapi", gang("okapi")["spec"]), NOW)


def test_no_field_but_its_own_holds_the_key_of_a_gang():
    hints = typing.get_type_hints(CoarsePlan)

    assert [one.name for one in dataclasses.fields(CoarsePlan) if hints[one.name] is GangKey] == ["gang"]
