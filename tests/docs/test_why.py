"""docs/why.md names every field of an answer, and what its commands show is what they say."""

from builders.facts import gang_fact, gang_spec
from coschedule import GangKey, SerialWork, plan
from docs.markdown import ROOT, fences, first_cells
from engine.builders import gang, node, snapshot
from lockstep.answers.plan.document import unplanned_document, waiting_document
from lockstep.answers.plan.recorded import RecordedSnapshot, planned_before
from lockstep.answers.plan.unplanned_gangs import UnplannedAnswer
from lockstep.answers.plan.waiting import answer_about
from lockstep.answers.profile.profile import answer_profile
from lockstep.answers.profile.profile_document import profile_document
from lockstep.api.gangjob.finished_runs import format_runs
from lockstep.belief.gangs.phases import Phase
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.past_runs import run_of

PAGE = ROOT / "docs" / "why.md"


def test_every_field_of_an_answer_is_documented():
    snap = snapshot([node("a")], [gang("g", serial=10)])
    waiting = waiting_document(
        answer_about(planned_before(RecordedSnapshot(snap, plan(snap))), GangKey("default", "g"))
    )
    unplanned = unplanned_document(UnplannedAnswer(gang=GangKey("default", "g"), phase=Phase.PLACED, message="All."))
    documented = first_cells(PAGE, "## For programs")

    assert documented == [*dict.fromkeys(["gang", "phase", *waiting, *unplanned])]


def test_every_field_of_a_profile_is_documented():
    runs = tuple(run_of(1, members=size, slowdown=1, seconds=60 / size) for size in (1, 2, 3, 4, 5))
    finished = gang_fact(
        "g",
        spec=gang_spec(work=SerialWork(serial=60), run_template="0"),
        status=GangStatus(past_runs=format_runs(runs)),
    )

    document = profile_document(answer_profile([finished], finished.key))

    assert sorted(first_cells(PAGE, "## What earlier runs show")) == sorted(document)


def test_what_terminals_show_fits_into_one():
    shown = [line for fence in fences(PAGE) for line in fence.text.splitlines()]

    assert shown
    assert max(map(len, shown)) <= 100
