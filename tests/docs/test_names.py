"""What the documentation names is there, and what is there is documented."""

import re
import subprocess
import tomllib

import pytest

from coschedule import Reason as PlanReason
from docs.markdown import PAGES, ROOT, first_cells, mentioned_targets, name_of
from lockstep.api.gangjob.unsupported import UNSUPPORTED
from lockstep.cli.run import run
from lockstep.facts.gang.summary import GangState
from lockstep.facts.reasons import Condition, EventReason, Reason
from lockstep.process.pages.health import DEBUG_PAGES, METRICS, PROBES

OPERATIONS = ROOT / "docs" / "operations"
DEPENDENCIES = ROOT / "docs" / "designs" / "0001-dependencies.md"
TARGETS = [
    pytest.param(target, id=f"{name_of(page)}: make {target}")
    for page in PAGES
    for target in dict.fromkeys(mentioned_targets(page))
]
SOURCES = [path for folder in ROOT.glob("[a-z]*/") for path in folder.rglob("*.py")]
# Designs also name what was not built.
MODULES = [
    pytest.param(module, id=f"{name_of(page)}: {module}")
    for page in PAGES
    if page.parent.name != "designs"
    for module in dict.fromkeys(re.findall(r"`((?:\w+/)*\w+\.py)`", page.read_text()))
]


@pytest.mark.parametrize("module", MODULES)
def test_module_is_in_the_sources(module):
    assert [path for path in SOURCES if str(path).endswith(f"/{module}")]


@pytest.fixture(scope="module")
def make_targets():
    listed = subprocess.run(["make", "--silent", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    return {line.split()[0] for line in listed.stdout.splitlines()}


@pytest.mark.parametrize("target", TARGETS)
def test_target_is_one_that_make_help_lists(target, make_targets):
    assert target in make_targets


def test_readme_names_the_two_commands():
    assert {"demo", "test"} <= set(mentioned_targets(ROOT / "README.md"))


def test_every_option_is_documented():
    documented = [cell.partition(" ")[0] for cell in first_cells(OPERATIONS / "running.md", "## Options")]

    assert documented == [parameter.opts[0] for parameter in run.params if parameter.expose_value]


def test_every_page_is_documented():
    assert first_cells(OPERATIONS / "running.md", "## Pages") == [*PROBES, *METRICS, *DEBUG_PAGES]


def test_every_condition_is_documented():
    assert first_cells(OPERATIONS / "what-gangs-say.md", "### Conditions") == list(Condition)


def test_every_reason_is_documented_once():
    assert sorted(first_cells(OPERATIONS / "what-gangs-say.md", "### Reasons")) == sorted([*Reason, *PlanReason])


def test_every_state_is_documented():
    assert sorted(first_cells(OPERATIONS / "what-gangs-say.md", "## What an owner sees")) == sorted(GangState)


def test_every_event_is_documented_once():
    """An event that has the name of a reason has its meaning, too."""
    _, _, events = (OPERATIONS / "what-gangs-say.md").read_text().partition("\n### Events\n")
    reasons = [*Reason, *PlanReason]
    named = [name for name in re.findall(r"`([A-Z]\w+)`", events) if name not in reasons]

    assert sorted(named) == sorted(event for event in EventReason if event not in reasons)


def test_every_unsupported_field_is_documented():
    limits = (OPERATIONS / "limits.md").read_text()
    words = [word for field in UNSUPPORTED for word in field.split(".")]

    assert [word for word in [*words, "ScheduleAnyway"] if word not in limits] == []


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
