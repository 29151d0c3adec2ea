"""What the mechanisms of the papers name is there, and their rows are short and in the order of the papers."""

import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from lockstep.cli import main
from lockstep.papers.mechanisms import al_saqabi, atallah, du, shum
from lockstep.papers.mechanisms.mechanism import MechanismState
from words import MOST_WORDS, SAY_INSTEAD

ROOT = Path(__file__).parents[3]
MOST_WORDS_OF_WHAT = 15
FIELDS = ("spec.", "status.")

of_each_paper = pytest.mark.parametrize(
    "rows",
    [
        pytest.param(atallah.MECHANISMS, id="A"),
        pytest.param(al_saqabi.MECHANISMS, id="S"),
        pytest.param(du.MECHANISMS, id="D"),
        pytest.param(shum.MECHANISMS, id="C"),
    ],
)


@cache
def schemas():
    """The schema of each of our kinds."""
    crds = [yaml.load(path.read_text(), yaml.CSafeLoader) for path in sorted((ROOT / "crds").glob("*.yaml"))]
    return [crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] for crd in crds]


def named(row):
    """What a row names in backquotes."""
    return re.findall(r"`([^`]+)`", row.where)


def is_field(name, schema):
    """Whether a schema has the field with this dotted path; entries of lists need no mark."""
    first, _, rest = name.partition(".")
    below = schema.get("items", schema).get("properties", {}).get(first)
    return below is not None and (not rest or is_field(rest, below))


def is_there(name):
    """Whether this file, command or field exists."""
    if name.startswith("lockstep "):
        return name.removeprefix("lockstep ") in main.list_commands(None)
    if name.startswith(FIELDS):
        return any(is_field(name, schema) for schema in schemas())
    return (ROOT / name).is_file()


def order_of(place):
    """The position of a section; appendices come last."""
    return [(not part.isdecimal(), int(part) if part.isdecimal() else ord(part)) for part in place.split(".")]


def prose_of(row):
    """A row's sentences; what stands in backquotes counts as a word."""
    return f"{row.what} {re.sub(r'`[^`]+`', 'it', row.where)}"


@of_each_paper
def test_what_rows_name_is_there(rows):
    assert [name for row in rows for name in named(row) if not is_there(name)] == []


@pytest.mark.parametrize(
    "name", ["lockstep nothing", "spec.nothing", "spec.size.nothing", "engine/nothing.py", "engine", "nothing"]
)
def test_a_name_of_nothing_is_found(name):
    assert not is_there(name)


@of_each_paper
def test_rows_name_a_file_or_a_command_unless_the_mechanism_is_not_there(rows):
    built = [row for row in rows if row.state is not MechanismState.ABSENT]

    assert [row for row in built if all(name.startswith(FIELDS) for name in named(row))] == []


@of_each_paper
def test_rows_say_what_is_missing_exactly_if_a_part_is(rows):
    assert [row for row in rows if ("Missing:" in row.where) is not (row.state is MechanismState.IN_PART)] == []


@of_each_paper
def test_rows_are_short_sentences_of_plain_words(rows):
    sentences = [one for row in rows for one in re.split(r"(?<=\.) ", prose_of(row))]

    assert [row.what for row in rows if len(row.what.split()) > MOST_WORDS_OF_WHAT] == []
    assert [one for one in sentences if not one.endswith(".") or len(one.split()) > MOST_WORDS] == []
    assert {word for one in sentences for word in re.findall("[a-z]+", one.lower())} & SAY_INSTEAD.keys() == set()


@of_each_paper
def test_rows_are_in_the_order_of_the_paper_and_each_is_there_once(rows):
    places = [order_of(row.place) for row in rows]

    assert places == sorted(places)
    assert len({row.what for row in rows}) == len(rows)
