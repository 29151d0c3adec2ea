"""docs/command-line.md names every field of an answer."""

import re

from coschedule import GangKey
from docs.markdown import ROOT, fences
from lockstep.answers.queue.group_turns import GroupTurn, turn_document
from lockstep.answers.queue.queue import Queued
from lockstep.answers.queue.queue_text import queue_document
from lockstep.answers.sweeps.sweep_text import sweep_document
from lockstep.api.sweeps.sweep import parse_sweep

PAGE = ROOT / "docs" / "command-line.md"


def test_every_field_of_the_queue_is_documented():
    [one] = queue_document([Queued(gang=GangKey("default", "g"), behind="")], [], 0.0)["gangs"]

    assert fields("## Who waits") == list(one)


def test_every_field_of_a_group_in_the_queue_is_documented():
    turn = GroupTurn(group="physics", waiting=1, first=None, use="has used nothing, like all other groups")

    assert fields("## Whose turn it is") == list(turn_document(turn))


def test_every_field_of_a_sweep_in_the_queue_is_documented():
    metadata = {"name": "s", "namespace": "default", "uid": "u", "resourceVersion": "1"}
    sweep = parse_sweep({"metadata": metadata, "spec": {"runs": 1, "template": {}}})

    assert fields("## Sweeps under way") == list(sweep_document(sweep))


def test_what_terminals_show_fits_into_one():
    shown = [line for fence in fences(PAGE) if fence.language == "console" for line in fence.text.splitlines()]

    assert shown
    assert max(map(len, shown)) <= 100


def fields(heading):
    """The fields that open the rows of the table below a heading; one row may have several."""
    section = PAGE.read_text().partition(f"\n{heading}\n")[2].partition("\n#")[0]
    first_columns = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    return [name for column in first_columns for name in re.findall(r"`(\w+)`", column)]
