"""Every request that docs/requests.md shows has the answer that the page shows."""

import json
import re
import subprocess
import sys

import pytest

from coschedule.model.reading import LARGEST, LONGEST_NUMBER
from coschedule.pieces.piece_times import MOST_PIECES
from coschedule.problems.shum.forecast import DAY_HOURS
from coschedule.problems.shum.shares import LARGEST_TABLE
from coschedule.requests.answer import LONGEST_LINE, PROBLEMS, answer_line
from coschedule.requests.auction import LARGEST_REPLAY, MOST_LEVELS
from coschedule.requests.forecast import MOST_DAYS
from coschedule.requests.goal import LARGEST_SIZE
from docs.markdown import ROOT, fences

PAGE = ROOT / "docs" / "requests.md"
EXAMPLE = re.compile(r"\$ echo '(?P<request>[^']+)' \| python -m coschedule\n(?P<answer>[^\n]+)\n")
BLOCKS = [fence.text for fence in fences(PAGE)]
EXAMPLES = [example for block in BLOCKS if (example := EXAMPLE.fullmatch(block))]


def first_words(heading):
    """The words in backquotes that open each row and each item below a heading."""
    section = PAGE.read_text().partition(f"\n{heading}\n")[2].partition("\n#")[0]
    return re.findall(r"^(?:\||-) `([^`]+)`", section, re.MULTILINE)


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
        [sys.executable, "-m", "coschedule"], input=lines, capture_output=True, check=True, text=True, timeout=300
    )

    assert program.stdout.splitlines() == [example["answer"] for example in EXAMPLES]


def test_every_problem_has_a_section():
    sections = re.findall(r"^## (.*)$", PAGE.read_text(), re.MULTILINE)

    assert sorted(sections[3:]) == sorted(PROBLEMS)


def test_every_problem_has_an_example():
    assert {request_of(example)["problem"] for example in EXAMPLES} == set(PROBLEMS)


def known_fields(request):
    """Name what may stand beside an unknown field that the request has somewhere."""
    answer = json.loads(answer_line(json.dumps(request).encode()))
    return answer["error"]["message"].partition("known are ")[2].split(", ")


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_field_of_a_problem_is_documented(problem):
    request = next(request_of(one) for one in EXAMPLES if request_of(one)["problem"] == problem)
    want_fields = known_fields(request | {"unknown": 1})
    # Its section says that it takes the fields of the other.
    shared = first_words("## equal") if problem == "proportional" else []

    assert sorted([*shared, *first_words(f"## {problem}"), "problem", "id"]) == sorted(want_fields)


def test_every_field_of_a_node_and_of_work_is_documented():
    request = next(request_of(one) for one in EXAMPLES if request_of(one)["problem"] == "equal")
    words = first_words("## Nodes and work")
    work = {field for word in words if word.startswith("{") for field in json.loads(word)}

    assert [word for word in words if word[0] != "{"] == known_fields(request | {"nodes": [{"unknown": 1}]})
    assert work == {"times", *known_fields(request | {"work": {"serial": 1, "unknown": 1}})}


def test_every_event_of_an_auction_is_documented_with_its_fields():
    documented = [re.findall(r'"(\w+)"', event) for event in first_words("### Events")]
    request = {"problem": "auction", "total": 1, "psi": 1, "events": [{"op": "unknown"}]}
    refusal = json.loads(answer_line(json.dumps(request).encode()))["error"]["message"]

    assert [op for _, op, *_ in documented] == refusal.removeprefix("must be one of ").split(", ")
    for _, op, *fields in documented:
        want_fields = known_fields(request | {"events": [{"op": op, "unknown": 1}]})
        assert ["op", *fields] == want_fields


def test_every_limit_is_documented():
    _, _, section = PAGE.read_text().partition("\n## Limits\n")
    limits = section.partition("\n## ")[0]
    numbers = {int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\d", limits.replace("10^", ""))}
    want_limits = {
        *(LONGEST_LINE, LONGEST_NUMBER, LARGEST_SIZE, DAY_HOURS - 1, MOST_DAYS, MOST_LEVELS, LARGEST_REPLAY),
        *(LARGEST_TABLE, sys.int_info.default_max_str_digits, str(LARGEST).count("0"), str(MOST_PIECES).count("0")),
    }

    assert numbers == want_limits


def test_examples_that_fail_are_the_two_that_show_how():
    answers = [json.loads(example["answer"]) for example in EXAMPLES]

    assert [answer["id"] for answer in answers if "error" in answer] == ["bad"]
    assert [answer["id"] for answer in answers if answer.get("feasible") is False] == ["two"]
