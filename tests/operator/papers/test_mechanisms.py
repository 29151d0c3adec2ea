"""Tests that what the table of mechanisms names is there, and that its rows are in the order of the papers."""

import re
from pathlib import Path

import pytest
import yaml

from lockstep.cli import main
from lockstep.papers.mechanisms import al_saqabi, atallah, du, shum
from lockstep.papers.mechanisms.mechanism import MechanismState
from words import MOST_WORDS, SAY_INSTEAD

ROOT = Path(__file__).parents[3]
MOST_WORDS_OF_WHAT = 15
PAPERS = {"A": atallah.MECHANISMS, "S": al_saqabi.MECHANISMS, "D": du.MECHANISMS, "C": shum.MECHANISMS}
ROWS = [pytest.param(row, id=f"{paper} {row.place} {row.what}") for paper, rows in PAPERS.items() for row in rows]
SCHEMAS = [
    version["schema"]["openAPIV3Schema"]
    for path in sorted((ROOT / "crds").glob("*.yaml"))
    for version in yaml.safe_load(path.read_text())["spec"]["versions"]
]


def named(row):
    """What a row names in backquotes."""
    return re.findall(r"`([^`]+)`", row.where)


def is_field(name, schema):
    """Whether a schema has the field with this dotted path; entries of lists need no index."""
    first, _, rest = name.partition(".")
    below = schema.get("items", schema).get("properties", {}).get(first)
    return below is not None and (not rest or is_field(rest, below))


def is_there(name):
    """Whether a file, a command or a field of our kinds exists."""
    if name.startswith("lockstep "):
        return name.removeprefix("lockstep ") in main.list_commands(None)
    if name.startswith(("spec.", "status.")):
        return any(is_field(name, schema) for schema in SCHEMAS)
    return "/" in name and (ROOT / name).is_file()


def order_of(place):
    """The position of a section; appendices come last."""
    return [(not part.isdecimal(), int(part) if part.isdecimal() else ord(part)) for part in place.split(".")]


@pytest.mark.parametrize("row", ROWS)
def test_what_a_row_names_is_there(row):
    assert [name for name in named(row) if not is_there(name)] == []


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_something_built_names_a_file_or_a_command(row):
    is_built = row.state is not MechanismState.ABSENT

    assert is_built <= any(not name.startswith(("spec.", "status.")) for name in named(row))


@pytest.mark.parametrize("row", ROWS)
def test_a_row_says_what_is_missing_just_where_a_part_is(row):
    assert ("Missing:" in row.where) is (row.state is MechanismState.IN_PART)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_in_plain_short_sentences(row):
    prose = f"{row.what} {re.sub(r'`[^`]+`', 'it', row.where)}"

    assert len(row.what.split()) <= MOST_WORDS_OF_WHAT
    assert row.what.endswith(".")
    assert row.where.endswith(".")
    assert [one for one in re.split(r"(?<=\.) ", prose) if len(one.split()) > MOST_WORDS] == []
    assert {*re.findall(r"[a-z]+", prose.lower())} & {*SAY_INSTEAD} == set()


@pytest.mark.parametrize("rows", [pytest.param(rows, id=paper) for paper, rows in PAPERS.items()])
def test_rows_are_in_the_order_of_the_paper_and_each_is_there_once(rows):
    places = [order_of(row.place) for row in rows]

    assert places == sorted(places)
    assert len({row.what for row in rows}) == len(rows)


@pytest.mark.parametrize(
    "name", ["lockstep nothing", "spec.nothing", "spec.size.nothing", "engine/nothing.py", "engine"]
)
def test_a_name_that_does_not_exist_is_found_out(name):
    assert not is_there(name)
