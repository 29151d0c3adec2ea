"""The timeline as its page reads it."""

from dataclasses import replace

import orjson
import pytest

from builders.facts import gang_fact, gang_spec, reservation
from builders.scene import HOUR, Scene, three_gangs
from coschedule import GangKey, Members
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.report.status.conditions import mark_refused
from lockstep.report.timeline import draw, freeze

NOW = 1_800_000_000.0


@pytest.fixture
def scene():
    """Two equal nodes and a faster one, of which a gang has two; another waits for it, and a third is too large."""
    return three_gangs(NOW, closes=NOW + 2 * HOUR)


def drawn(scene, decisions=None):
    chosen = scene.decided.plan.decisions if decisions is None else decisions
    return draw(freeze(scene.state, chosen, planned_at=NOW, now=NOW))


def test_picture_has_gangs_nodes_and_who_waits(scene):
    picture = drawn(scene)

    assert [(one["name"], one["stage"], one["size"], one["start"]) for one in picture["gangs"]] == [
        ("first", "placed", 3, NOW),
        ("second", "planned", 2, NOW + HOUR),
    ]
    assert [(kind["speed"], [(row["nodes"], row["bars"]) for row in kind["rows"]]) for kind in picture["kinds"]] == [
        (2.0, [("n3", [[0, 0, 1], [1, 0, 1]])]),
        (1.0, [("n1", [[0, 0, 1], [1, 0, 1]]), ("n2", [[0, 0, 1]])]),
    ]
    assert picture["kinds"][0]["rows"][0]["closes"] == NOW + 2 * HOUR
    assert [(one["name"], one["says"]) for one in picture["waiting"]] == [
        ("giant", "It needs 9 members, and 3 fit: 3 of 3 nodes pass its constraints; bid slots: 9 needed, 3 free.")
    ]
    assert picture["waitingInAll"] == 1


def test_promise_is_the_one_of_the_plan(scene):
    [promised] = [one.promised for one in scene.decided.plan.decisions if one.gang.name == "second"]

    assert promised is not None
    assert {one["name"]: one["promised"] for one in drawn(scene)["gangs"]} == {"first": None, "second": promised}


def test_gangs_say_what_their_status_says(scene):
    said = {
        key.name: gang.status.condition("Planned").message for key, gang in scene.state.gangs.items() if gang.status
    }

    assert {one["name"]: one["says"] for one in drawn(scene)["gangs"]} == {
        name: said[name] for name in ("first", "second")
    }


@pytest.mark.parametrize(("name", "want"), [("gone", "Its GangJob is gone."), ("gang/gone", "Its Gang is gone.")])
def test_bar_of_a_gang_that_is_gone_says_so(scene, name, want):
    scene.state.assumptions.hold(reservation(name))

    assert {one["name"]: one["says"] for one in drawn(scene)["gangs"]}[name] == want


def test_picture_is_the_same_as_long_as_nothing_changes(scene):
    assert orjson.dumps(drawn(scene)) == orjson.dumps(drawn(scene))


def test_refused_gang_and_one_that_was_never_planned_wait_without_a_place(scene):
    refused = gang_fact("odd").refused(Refusal("InvalidSpec", "spec.size: is odd"))
    scene.state.apply_gang(replace(refused, status=mark_refused(refused, refused.refusal, now=NOW)))
    scene.state.apply_gang(gang_fact("new"))

    waiting = {one["name"]: one["says"] for one in drawn(scene)["waiting"]}

    assert waiting["odd"] == "spec.size: is odd"
    assert waiting["new"] == "It has not been planned yet."


def test_of_a_crowd_that_waits_the_first_are_listed_and_the_others_counted(scene):
    for number in range(300):
        scene.state.apply_gang(gang_fact(f"crowd-{number}"))

    picture = drawn(scene)

    assert (len(picture["waiting"]), picture["waitingInAll"]) == (200, 301)
    # Planned gangs are listed in the order of the plan.
    assert picture["waiting"][0]["name"] == "giant"


def test_sentence_is_cut_where_it_is_a_tenants_novel(scene):
    novel = ConditionFact("Planned", "False", "PlanningFailed", "x" * 30_000, 1, 0.0)
    status = GangStatus(conditions=(novel,))
    scene.state.apply_gang(gang_fact("giant", version="2", spec=gang_spec(size=9), status=status))

    [giant] = drawn(scene)["waiting"]

    assert len(giant["says"]) == 1000


def test_nothing_is_shown_of_gangs_that_have_ended(scene):
    for name in ("first", "second", "giant"):
        scene.end(name)

    picture = drawn(scene)

    assert (picture["gangs"], picture["waiting"]) == ([], [])
    assert GangKey("default", "first") not in scene.state.gangs


def test_users_of_a_namespace_see_no_name_of_another_one(scene):
    facts = freeze(scene.state, scene.decided.plan.decisions, planned_at=NOW, now=NOW)

    picture = draw(facts, lambda gang: gang.namespace == "another")

    assert "first" not in orjson.dumps(picture).decode()
    assert "default" not in orjson.dumps(picture).decode()
    assert [(one["stage"], one["says"], one["size"]) for one in picture["gangs"]] == [("others", "", 0)]
    assert (picture["waiting"], picture["waitingInAll"]) == ([], 0)


@pytest.mark.parametrize(("ago", "want"), [(3600, ["ended"]), (3601, [])], ids=["an hour ago", "earlier"])
def test_gangs_of_the_past_hour_have_bars(ago, want):
    ended = ConditionFact("Complete", "True", "Succeeded", "All have.", 1, NOW)
    status = GangStatus(
        conditions=(ended,), start=NOW - 2 * HOUR, finished_at=NOW - ago, members=(Members("n1", 2),), size=2
    )
    scene = Scene()
    scene.add_node("n1")
    scene.state.apply_gang(gang_fact("g", status=status))

    picture = draw(freeze(scene.state, (), planned_at=NOW, now=NOW))

    assert [one["stage"] for one in picture["gangs"]] == want
    assert [one["says"] for one in picture["gangs"]] == ["All have."] * len(want)
