"""A GangSweep that is not there is planned by its first runs, coarsely, and leaves nothing behind."""

import pytest

from builders.manifests import gang
from builders.scene import HOUR, Scene
from coschedule import GangKey
from fake_cluster.looking import rules
from lockstep.answers.plan.planned import plan_now
from lockstep.tenants.commands.answer_text import sweep_plan_answer_lines
from lockstep.tenants.commands.document_shapes import is_answer
from lockstep.tenants.documents import AnswerKind, sweep_plan_object
from lockstep.tenants.others import others_of
from lockstep.tenants.supposing.coarse_plan import UnplannedError
from lockstep.tenants.supposing.coarse_sweep import plan_with_sweep
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


def planned_with(scene, template, **spec):
    question = Question("tenant", "s", {"runs": 3, "template": template["spec"], **spec})
    before = plan_now(scene.state, rules(), NOW, asked=())
    return plan_with_sweep(scene.state, rules(), before, question, NOW)


def test_runs_get_a_size_and_starts_in_steps_of_five_minutes(scene):
    plan = planned_with(scene, gang("s", size=1, **WORK))

    assert (plan.runs, plan.members, plan.side_by_side, plan.planned) == (3, 1, 2, 2)
    assert (plan.starting_now, plan.starts, plan.ends % 5) == (1, 0, 0)
    assert [name for name in ("okapi", "zebra", "n1", "n2") if name in str(plan)] == []


def test_first_run_that_waits_for_others_has_a_coarse_start(scene):
    plan = planned_with(scene, gang("s", size=2, **WORK))

    assert (plan.starting_now, plan.starts) == (0, 65)


def test_end_in_an_answer_finds_out_no_exact_start(scene):
    """The other gang ends a second after the hour. Questions of many lengths would show it, if ends were exact."""
    works = ({"work": {"serialTime": f"{seconds}s"}} for seconds in (590, 600))

    assert [planned_with(scene, gang("s", size=2, **work), runs=1).ends for work in works] == [70, 70]


def test_nothing_of_it_is_left_in_the_cache(scene):
    before = plan_now(scene.state, rules(), NOW, asked=()).made.decisions
    gangs = set(scene.state.gangs)

    planned_with(scene, gang("s", size=1, **WORK))

    assert set(scene.state.gangs) == gangs
    assert plan_now(scene.state, rules(), NOW, asked=()).made.decisions == before


@pytest.mark.parametrize(
    ("template", "spec", "want"),
    [
        pytest.param(gang("s", size=1), {"runs": None}, "spec.gangSweepSpec has no runs", id="no number"),
        pytest.param(gang("s", size=1, suspend=True), {}, "wait for other gangs, or are suspended", id="suspended"),
        pytest.param({"spec": {}}, {}, "is invalid", id="no template"),
    ],
)
def test_sweep_without_a_plan_has_a_sentence_and_leaves_nothing(scene, template, spec, want):
    gangs = set(scene.state.gangs)

    with pytest.raises(UnplannedError, match=want):
        planned_with(scene, template, **spec)
    assert set(scene.state.gangs) == gangs


def test_name_of_a_run_that_is_taken_is_refused_and_its_gang_stays(scene):
    scene.submit("s-1", created=NOW, namespace="tenant")

    with pytest.raises(UnplannedError, match="tenant/s-1 exists already"):
        planned_with(scene, gang("s", size=1, **WORK))
    assert GangKey("tenant", "s-1") in scene.state.gangs


def test_answer_has_the_shape_that_the_command_reads(scene):
    before = plan_now(scene.state, rules(), NOW, asked=())
    plan = planned_with(scene, gang("s", size=1, **WORK))
    document = sweep_plan_object(plan, others_of(before.made.decisions, before.running, NOW), NOW)

    assert is_answer(AnswerKind.SWEEP_PLANS, document)
    text = " ".join(" ".join(sweep_plan_answer_lines(document)).split())
    assert text.startswith("GangSweep tenant/s has 3 runs. Each run has 1 member; at most 2 run at once. ")
    assert "The first run would start at once. 1 of its first 2 runs would start now." in text
