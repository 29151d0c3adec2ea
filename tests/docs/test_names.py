"""What the documentation names is there, and what is there is documented."""

import inspect
import re
import tomllib

import pytest

from coschedule import Reason as PlanReason
from docs.markdown import PAGES, ROOT, first_cells, mentioned_targets, name_of
from lockstep.api.gangjob import _unsupported
from lockstep.cli.run import run
from lockstep.facts.reasons import Condition, Reason
from lockstep.process.health import serve_health
from lockstep.report import events

OPERATIONS = ROOT / "docs" / "operations.md"
DEPENDENCIES = ROOT / "docs" / "designs" / "0001-dependencies.md"
TARGETS = [
    pytest.param(target, id=f"{name_of(page)}: make {target}")
    for page in PAGES
    for target in dict.fromkeys(mentioned_targets(page))
]


@pytest.mark.parametrize("target", TARGETS)
def test_target_is_in_the_makefile(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_readme_names_the_two_commands():
    assert {"demo", "test"} <= set(mentioned_targets(ROOT / "README.md"))


def test_every_option_is_documented():
    documented = [cell.partition(" ")[0] for cell in first_cells(OPERATIONS, "## Options")]

    assert documented == [parameter.opts[0] for parameter in run.params]


def test_every_page_is_documented():
    want_pages = re.findall(r'web\.get\("([^"]+)"', inspect.getsource(serve_health))

    assert first_cells(OPERATIONS, "## Pages") == want_pages


def test_every_condition_is_documented():
    assert first_cells(OPERATIONS, "### Conditions") == list(Condition)


def test_every_reason_is_documented_once():
    assert sorted(first_cells(OPERATIONS, "### Reasons")) == sorted([*Reason, *PlanReason])


def test_every_event_is_documented_once():
    want_events = re.findall(r'reason="(\w+)"', inspect.getsource(events))

    assert sorted(first_cells(OPERATIONS, "### Events")) == sorted(want_events)


def test_every_unsupported_field_is_documented():
    _, _, limits = OPERATIONS.read_text().partition("\n## Limits\n")
    fields = re.findall(r'"(\w+)"', inspect.getsource(_unsupported))

    assert fields
    assert [field for field in fields if field not in limits] == []


@pytest.mark.parametrize(
    ("heading", "declared"),
    [
        pytest.param("## Runtime", lambda project: project["project"]["dependencies"], id="runtime"),
        pytest.param("## Development", lambda project: project["dependency-groups"]["dev"], id="development"),
    ],
)
def test_every_dependency_has_a_reason(heading, declared):
    requirements = declared(tomllib.loads((ROOT / "pyproject.toml").read_text()))
    want_names = [re.split(r"[<>=~! ]", requirement)[0] for requirement in requirements]

    assert first_cells(DEPENDENCIES, heading) == want_names
