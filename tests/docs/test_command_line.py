"""docs/command-line.md names every field of an answer."""

from coschedule import GangKey
from docs.markdown import ROOT, fences, first_cells
from lockstep.answers.queue.queue import Queued
from lockstep.answers.queue.queue_text import queue_document

PAGE = ROOT / "docs" / "command-line.md"


def test_every_field_of_the_queue_is_documented():
    [one] = queue_document([Queued(gang=GangKey("default", "g"), behind="")], 0.0)["gangs"]

    assert first_cells(PAGE, "## Who waits") == list(one)


def test_what_terminals_show_fits_into_one():
    shown = [line for fence in fences(PAGE) if fence.language == "console" for line in fence.text.splitlines()]

    assert shown
    assert max(map(len, shown)) <= 100
