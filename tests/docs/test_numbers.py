"""A number or a default that a page states is the one that the code has: who changes either has to change both.

``numbers.yaml`` lists sentences of pages, each with a gap in the place of the number.
"""

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.markdown import ROOT
from lockstep.cli.run import run
from lockstep.report.text.sentences import duration

LISTED = yaml.safe_load((Path(__file__).parent / "numbers.yaml").read_text())
STATED = [pytest.param(page, *one, id=f"{page}: {one[0].format('…')}") for page, rows in LISTED.items() for one in rows]
VALUES = yaml.safe_load((ROOT / "charts" / "lockstep" / "values.yaml").read_text())
WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 8: "eight", 10: "ten", 15: "15", 20: "twenty"}
SPANS = {60: "a minute", 3600: "an hour"}
PARTS = {1 / 2: "half", 1 / 3: "a third", 1 / 4: "a quarter", 1 / 10: "a tenth"}

# How a page spells a number; times are in seconds.
SPELLINGS: Mapping[str, Callable[[Any], str]] = {
    "number": "{:,g}".format,
    "digits": str,
    "words": lambda value: WORDS[value],
    "part": lambda value: PARTS[value],
    "percent": lambda value: f"{100 * value:g} %",
    "duration": duration,
    "span": lambda value: SPANS[value],
    "minutes": lambda value: f"{WORDS[value / 60]} minutes",
    "millions": lambda value: f"{value / 1e6:g}",
    "milliseconds": lambda value: f"{1000 * value:g} ms",
    "KiB": lambda value: f"{value / 1024:g} KiB",
}
# What stands in the place of a default that is none, or that follows from something else.
WITHOUT = r"none\b|all nodes|the current one|the pod's own|[^|]*\$KUBECONFIG"
CHART_RESOURCES = VALUES["resources"]
PRESETS = yaml.safe_load((ROOT / "charts" / "lockstep" / "files" / "planning-presets.yaml").read_text())


@pytest.mark.parametrize(("page", "words", "where", "spelling"), STATED)
def test_number_of_a_page_is_that_of_the_code(page, words, where, spelling):
    module, _, name = where.rpartition(".")
    value = getattr(import_module(module), name)

    assert words.format(SPELLINGS[spelling](value)) in text_of(page)


def test_default_of_an_option_is_that_of_the_command():
    stated = defaults_of("## Options")
    defaults = {one.opts[0]: one.default for one in run.params if one.expose_value}

    assert stated.keys() == defaults.keys()
    assert {name: cell for name, cell in stated.items() if not is_default(cell, defaults[name])} == {}


@pytest.mark.parametrize("option", [one.opts[0] for one in run.params if one.expose_value])
def test_default_of_the_chart_is_that_of_the_command(option):
    """A value that the chart hands on says otherwise only where the page says so."""
    planning = PRESETS[VALUES["planning"]["preset"]]
    value = planning.get(camel_case(option), VALUES["operator"].get(camel_case(option)))
    default = next(one.default for one in run.params if one.opts[0] == option)

    assert value is None or value == (default or "")


def test_presets_of_the_page_are_those_of_the_chart():
    lines = (ROOT / "docs" / "operations" / "running.md").read_text().splitlines()
    first = lines.index(f"| value | {' | '.join(f'`{name}`' for name in PRESETS)} |")
    want = [[value, *(str(preset[value]) for preset in PRESETS.values())] for value in PRESETS["Shared"]]
    rows = lines[first + 2 : first + 2 + len(want)]

    assert [[cell.strip(" `") for cell in row.strip("|").split("|")] for row in rows] == want


def test_room_of_the_operator_is_that_of_the_chart():
    requests, limits = CHART_RESOURCES["requests"], CHART_RESOURCES["limits"]

    asked = f"the chart requests {requests['cpu']} CPU and {requests['memory']} of memory"
    assert f"{asked}, and limits memory to {limits['memory']}." in text_of("install")


def test_limit_of_the_operator_leaves_a_fifth_beside_the_largest_cluster_and_a_tenants_objects():
    [(measured, of_tenant)] = re.findall(
        r"with a peak of (\d+) MiB.*largest objects that one tenant can create need at most (\d+) MiB",
        text_of("install"),
    )
    limit = int(CHART_RESOURCES["limits"]["memory"].removesuffix("Mi"))

    assert int(measured) + int(of_tenant) <= 0.8 * limit


def test_bounds_of_the_record_are_those_of_the_chart():
    values = VALUES["record"]
    days, days_with_users = values["keep"].removesuffix("d"), values["keepUsers"].removesuffix("d")
    most = values["mostBytes"].replace("Gi", " GiB")

    page = text_of("operations/sharing")
    assert f"Records stay for {days} days** after" in page
    assert f"name the user for {days_with_users} days (`record.keepUsers`). If the file has {most} (" in page


def text_of(page):
    """The words of a page, or of all pages of a folder, whatever their lines are."""
    folder = ROOT / "docs" / page
    pages = sorted(folder.glob("*.md")) if folder.is_dir() else [folder.with_suffix(".md")]
    return " ".join(word for one in pages for word in one.read_text().split())


def defaults_of(heading):
    """What the table of options below a heading has as defaults, without backquotes."""
    pages = (page.read_text() for page in (ROOT / "docs" / "operations").glob("*.md"))
    [rest] = [rest for _, found, rest in (text.partition(f"\n{heading}\n") for text in pages) if found]
    table = rest.partition("\n#")[0].replace(r"\|", "/")
    rows = re.findall(r"^\| `(--[a-z-]+)[^|]*\|([^|]*)\|", table, re.MULTILINE)
    return {name: cell.strip().replace("`", "") for name, cell in rows}


def is_default(cell, default):
    """Whether a cell says that this is the default."""
    if default in (None, "", ()) or not isinstance(default, str | int | float | bool):
        return re.match(WITHOUT, cell) is not None or cell in ("", str(default))
    if isinstance(default, bool):
        return cell == str(default).lower()
    return cell == (f"{default:g}" if isinstance(default, float) else str(default))


def camel_case(option):
    first, *rest = option.removeprefix("--").split("-")
    return first + "".join(word.capitalize() for word in rest)
