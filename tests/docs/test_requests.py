"""Every request that docs/requests.md shows has the answer that the page shows."""

import json
import re
import subprocess
import sys

import pytest

from coschedule.requests.answer import PROBLEMS, answer_line
from docs.markdown import ROOT, fences, first_cells

PAGE = ROOT / "docs" / "requests.md"
EXAMPLE = re.compile(r"\$ echo '(?P<request>[^']+)' \| python -m coschedule\n(?P<answer>[^\n]+)\n")
BLOCKS = [fence.text for fence in fences(PAGE)]
EXAMPLES = [example for block in BLOCKS if (example := EXAMPLE.fullmatch(block))]


def request_of(example):
    return json.loads(example["request"])


def test_page_shows_nothing_but_requests_and_answers():
    assert EXAMPLES
    assert [example[0] for example in EXAMPLES] == BLOCKS


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["request"][:60])
def test_request_has_the_answer_that_the_page_shows(example):
    assert answer_line(example["request"].encode()).decode() == example["answer"] + "\n"


def test_every_line_of_the_page_is_answered_by_the_program():
    lines = "".join(example["request"] + "\n" for example in EXAMPLES)
    program = subprocess.run(
        [sys.executable, "-m", "coschedule"], input=lines, capture_output=True, check=True, text=True, timeout=60
    )

    assert program.stdout.splitlines() == [example["answer"] for example in EXAMPLES]


def test_every_problem_has_a_section():
    sections = re.findall(r"^## (.*)$", PAGE.read_text(), re.MULTILINE)

    assert sorted(sections[2:]) == sorted(PROBLEMS)


def test_every_problem_has_an_example():
    assert {request_of(example)["problem"] for example in EXAMPLES} == set(PROBLEMS)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_field_of_a_problem_is_documented(problem):
    request = next(request_of(one) for one in EXAMPLES if request_of(one)["problem"] == problem)
    answer = json.loads(answer_line(json.dumps(request | {"nobody": 1}).encode()))
    want_fields = answer["error"]["message"].partition("known are ")[2].split(", ")
    # Its section says that it takes the fields of the other.
    shared = first_cells(PAGE, "## equal") if problem == "proportional" else []

    assert sorted([*shared, *first_cells(PAGE, f"## {problem}"), "problem", "id"]) == sorted(want_fields)


def test_examples_that_fail_are_the_two_that_show_how():
    answers = [json.loads(example["answer"]) for example in EXAMPLES]

    assert [answer["id"] for answer in answers if "error" in answer] == ["bad"]
    assert [answer["id"] for answer in answers if answer.get("feasible") is False] == ["two"]
