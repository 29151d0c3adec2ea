"""docs/algorithms.md covers every problem of the engine, and the modules it names are there, the operator's too."""

import re

import pytest

from coschedule.requests.answer import PROBLEMS
from docs.markdown import ROOT

PAGE = ROOT / "docs" / "algorithms.md"
ENGINE = ROOT / "engine" / "coschedule"
MODULES = sorted(set(re.findall(r"`([\w/]+\.py)`", PAGE.read_text())))


@pytest.mark.parametrize("module", MODULES)
def test_module_is_there(module):
    root = ROOT if module.startswith("operator/") else ENGINE
    assert (root / module).is_file()


@pytest.mark.parametrize("problem", PROBLEMS)
def test_problem_is_explained(problem):
    assert f"`{problem}`" in PAGE.read_text()


@pytest.mark.parametrize("problem", PROBLEMS)
def test_cost_of_a_problem_is_stated(problem):
    _, _, costs = PAGE.read_text().partition("\n## Costs\n")
    rows = re.findall(r"^\| (`.*?) \| (.*) \| (.*) \|$", costs, re.MULTILINE)
    [(time, memory)] = [row[1:] for row in rows if f"`{problem}`" in row[0]]

    assert "O(" in time
    assert "O(" in memory


def test_every_erratum_has_a_counterexample():
    _, _, errata = PAGE.read_text().partition("\n## Errata\n")
    rows = re.findall(r"^\| (\S+) \|(.*)\|(.*)\|(.*)\|$", errata, re.MULTILINE)
    numbers = [row[0] for row in rows if row[0][0].isdigit()]

    assert numbers == sorted(numbers)
    assert {number[0] for number in numbers} == set("12345678")
    assert all(cell.strip() for row in rows for cell in row)
