"""docs/library.md is true: its examples run, and it names a function for every problem of the request language."""

import doctest
import re

import coschedule
from coschedule.requests.answer import PROBLEMS
from docs.markdown import ROOT

PAGE = ROOT / "docs" / "library.md"
ROWS = dict(re.findall(r"^\| `(\w+)` \| `(\w+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))


def test_examples_give_what_the_page_shows():
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.FAIL_FAST)

    assert results.attempted >= 41
    assert results.failed == 0


def test_every_problem_has_a_function():
    assert ROWS.keys() == PROBLEMS.keys()
    assert {getattr(coschedule, function).__name__ for function in ROWS.values()} == set(ROWS.values())


def test_the_package_says_the_same():
    pairs = re.findall(r"(\w+) {2,}(\w+)", coschedule.__doc__)

    assert dict(pairs) == ROWS


def test_every_public_name_is_there():
    assert sorted(coschedule.__all__) == coschedule.__all__
    assert all(hasattr(coschedule, name) for name in coschedule.__all__)


def test_what_a_plan_takes_and_gives_is_public_and_named():
    page = PAGE.read_text(encoding="utf-8").partition("\n## A whole queue\n")[2]
    named = set(re.findall(r"`([A-Z]\w+)`", page)) - {member.name for member in coschedule.Load}

    assert named <= set(coschedule.__all__)
    assert {"Snapshot", "NodeTable", "PendingGang", "Release", "Constraints", "Placement", "Unplaceable"} <= named
    assert {"Members", "Share", "Pieces", "Hold", "Alternative", "Plan"} <= named
    assert {name for name in coschedule.__all__ if has_reason(getattr(coschedule, name))} <= named


def has_reason(thing):
    """Return whether it is a refusal of the engine, whose reason is fixed."""
    return isinstance(getattr(thing, "reason", None), coschedule.Reason)
