"""docs/why.md names every field of an answer, and what its commands show is what they say."""

from coschedule import GangKey, plan
from docs.markdown import ROOT, fences, first_cells
from engine.builders import gang, node, snapshot
from lockstep.answers.document import settled_document, waiting_document
from lockstep.answers.recorded import Recorded, planned_before
from lockstep.answers.settled import SettledAnswer
from lockstep.answers.waiting import answer_about
from lockstep.belief.phases import Phase

PAGE = ROOT / "docs" / "why.md"


def test_every_field_of_an_answer_is_documented():
    snap = snapshot([node("a")], [gang("g", serial=10)])
    waiting = waiting_document(answer_about(planned_before(Recorded(snap, plan(snap))), GangKey("default", "g")))
    settled = settled_document(SettledAnswer(gang=GangKey("default", "g"), phase=Phase.PLACED, message="All."))
    documented = first_cells(PAGE, "## For programs")

    assert documented == [*dict.fromkeys(["gang", "phase", *waiting, *settled])]


def test_what_terminals_show_fits_into_one():
    shown = [line for fence in fences(PAGE) for line in fence.text.splitlines()]

    assert shown
    assert max(map(len, shown)) <= 100
