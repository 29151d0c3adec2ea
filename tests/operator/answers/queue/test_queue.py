"""Which gangs wait, until when and behind which others: what a person sees of it."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact, start_estimate
from builders.served import gang
from fake_cluster.sweeps import sweep
from lockstep.answers.queue.queue import queue_of
from lockstep.answers.queue.queue_text import queue_document, queue_lines
from lockstep.answers.reading.cluster import parse_shown
from lockstep.answers.sweeps.sweep_text import sweep_lines, under_way
from lockstep.api.sweeps.sweep import parse_sweep
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.runs.sweep_keys import sweep_key
from lockstep.facts.runs.sweep_run import SweepRun

NOW = 1_000_000.0


def planned_for(position, *, start=60.0, promised=None, late=None, waits_for="4 slots, held by default/heat"):
    return start_estimate(
        NOW + start, late_start=late, promised_start=promised, size=8, position=position, waits_for=waits_for
    )


def condition(kind, status, message=""):
    return ConditionFact(kind, status, "Because", message, 1, NOW)


def waiting(name, position, **more):
    planned = condition("Planned", "True", "8 members on n1…n8.")
    return gang_fact(name, status=GangStatus(conditions=(planned,), plan=planned_for(position, **more)))


def without_place(name, *, created=0.0):
    planned = condition("Planned", "False", "It needs 20 members, and 12 fit.")
    return gang_fact(name, created=created, status=GangStatus(conditions=(planned,), plan=planned_for(1)))


def test_gangs_are_shown_by_position_and_then_by_age():
    gangs = [
        without_place("b", created=2.0),
        waiting("second", 2),
        without_place("a", created=1.0),
        waiting("first", 1),
    ]

    assert [one.gang.name for one in queue_of(gangs, NOW, are_all=False)] == ["first", "second", "a", "b"]


def test_gang_whose_age_stood_still_is_shown_behind_those_that_waited_longer():
    resumed = without_place("resumed", created=NOW - 90)
    gangs = [
        replace(resumed, status=replace(resumed.status, queued_since=NOW - 30)),
        without_place("waits", created=NOW - 60),
    ]

    assert [one.gang.name for one in queue_of(gangs, NOW, are_all=False)] == ["waits", "resumed"]


def test_positions_that_are_of_different_plans_are_counted_anew_where_all_gangs_are_known():
    last_statuses = [
        waiting("b", 3, start=90),
        waiting("a", 3, start=60),
        waiting("c", 7, start=90),
        without_place("d"),
    ]

    queue = queue_of(last_statuses, NOW, are_all=True)

    assert [(one.gang.name, one.position) for one in queue] == [("a", 1), ("b", 2), ("c", 2), ("d", None)]


def test_row_has_position_size_start_and_who_is_in_front():
    queue = queue_of([waiting("render", 2, promised=NOW + 90), without_place("giant")], NOW, are_all=False)

    heading, row, behind, giant, why = queue_lines(queue, NOW)

    assert heading.split() == ["POSITION", "GANG", "SIZE", "STARTS", "IN", "AT", "THE", "LATEST"]
    assert row.split() == ["2", "default/render", "8", "1", "min", "1", "min", "30", "s"]
    assert behind.strip() == "4 slots, held by default/heat"
    assert giant.split() == ["-", "default/giant", "-", "-", "-"]
    assert why.strip() == "It needs 20 members, and 12 fit."


def test_start_that_has_passed_is_now():
    [one] = queue_of([waiting("late", 1, start=-5.0)], NOW, are_all=False)

    assert " now " in list(queue_lines([one], NOW))[1]


@pytest.mark.parametrize(
    ("late", "promised", "want"),
    [(None, None, None), (NOW + 5, None, NOW + 5), (NOW + 5, NOW + 9, NOW + 9)],
    ids=["neither", "as others were late", "promised"],
)
def test_latest_start_is_what_is_promised_or_else_what_became_of_others(late, promised, want):
    [one] = queue_of([waiting("g", 1, late=late, promised=promised)], NOW, are_all=False)

    assert one.latest == want


@pytest.mark.parametrize(
    "settled",
    [
        pytest.param(gang_fact(status=GangStatus(conditions=(condition("Complete", "True"),))), id="over"),
        pytest.param(gang_fact(policies=Policies(is_suspended=True)), id="suspended"),
        pytest.param(gang_fact(deleting=True), id="deleted"),
        pytest.param(gang_fact(status=GangStatus(conditions=(condition("Accepted", "False"),))), id="refused"),
    ],
)
def test_gang_that_does_not_wait_is_not_in_the_queue(settled):
    assert queue_of([settled], NOW, are_all=False) == []
    assert list(queue_lines([], NOW)) == ["No gang waits."]


def test_queue_without_gangs_names_its_namespace():
    assert list(queue_lines([], NOW, "work")) == ["No gang waits in the namespace work."]


def test_gang_that_is_not_planned_yet_says_so():
    [one] = queue_of([gang_fact("new")], NOW, are_all=False)

    assert (one.position, one.behind) == (None, "It has not been planned yet.")


def test_gang_that_rests_after_a_failure_waits():
    assert [
        one.gang.name for one in queue_of([gang_fact("g", status=GangStatus(restart_at=NOW + 9))], NOW, are_all=False)
    ] == ["g"]


def test_long_sentences_are_wrapped():
    queue = queue_of([waiting("g", 2**31 - 1, start=9e7, waits_for="slot " * 200)], NOW, are_all=False)

    assert max(len(line) for line in queue_lines(queue, NOW)) <= 100


def test_document_has_the_same_as_the_text():
    queue = queue_of([waiting("render", 2), without_place("giant")], NOW, are_all=False)
    [render, giant] = queue_document(queue, [], NOW)["gangs"]

    assert render == {
        "gang": {"namespace": "default", "name": "render"},
        "position": 2,
        "size": 8,
        "start": "1970-01-12T13:47:40Z",
        "latestStart": None,
        "behind": "4 slots, held by default/heat",
        "sweep": None,
    }
    assert (giant["position"], giant["size"], giant["start"]) == (None, None, None)


def test_gang_that_waits_for_all_to_be_up_is_no_refused_one():
    """Only the operator knows whether it has an image for gates."""
    waits = gang("g", spec={"network": {"startBarrier": {"timeout": "60s"}}})
    waits["metadata"]["generation"] = 1

    assert [one.gang.name for one in queue_of([parse_shown(waits)], NOW, are_all=False)] == ["g"]


def test_run_of_a_sweep_names_it():
    run = replace(waiting("tune-3", 2), run=SweepRun(sweep=sweep_key("default", "tune"), sweep_uid="u", number=3))
    queue = queue_of([run], NOW, are_all=False)

    assert list(queue_lines(queue, NOW))[2].strip() == "A run of sweep tune. 4 slots, held by default/heat"
    assert queue_document(queue, [], NOW)["gangs"][0]["sweep"] == "tune"


def swept(name, **status):
    manifest = sweep(name, runs=100)
    return parse_sweep(
        {**manifest, "status": status, "metadata": {**manifest["metadata"], "uid": "u", "resourceVersion": "1"}}
    )


def test_sweeps_under_way_are_rows_with_their_runs_and_likely_end():
    end = {"type": "Complete", "status": "True", "reason": "RunsEnded", "message": "", "lastTransitionTime": None}
    half = {"state": "Running", "runs": 100, "succeeded": 40, "failed": 2, "running": 8, "waiting": 9, "size": 4}
    found = under_way(
        [
            swept("new"),
            swept("half", **half, expectedFinish="1970-01-12T13:56:40Z"),
            swept("over", state="Complete", conditions=[{**end, "lastTransitionTime": "1970-01-01T00:00:00Z"}]),
        ]
    )

    heading, row, new, why = sweep_lines(found, NOW)

    assert heading.split() == ["SWEEP", "STATE", "RUNS", "ENDED", "RUNNING", "WAITING", "ENDS", "IN"]
    assert row.split() == ["default/half", "Running", "100", "42", "8", "9", "10", "min"]
    assert new.split() == ["default/new", "New", "100", "0", "0", "0", "-"]
    assert why == "  The operator has not started it: does it run with --sweeps?"
    [document, _] = queue_document([], found, NOW)["sweeps"]
    assert document["sweep"] == {"namespace": "default", "name": "half"}
    assert (document["succeeded"], document["failed"], document["expectedFinish"]) == (40, 2, "1970-01-12T13:56:40Z")
    assert list(sweep_lines([], NOW)) == []
