"""A number or a default that a page states is the one that the code has: who changes either has to change both.

``numbers.yaml`` lists sentences of pages, each with a gap in the place of the number.
"""

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest
import yaml

from docs.markdown import ROOT, text_of
from docs.spellings import SPELLINGS
from lockstep.cli.run import run

LISTED = yaml.safe_load((Path(__file__).parent / "numbers.yaml").read_text())
STATED = [pytest.param(page, *one, id=f"{page}: {one[0].format('…')}") for page, rows in LISTED.items() for one in rows]
VALUES = yaml.safe_load((ROOT / "charts" / "lockstep" / "values.yaml").read_text())
# What stands in the place of a default that is none, or that follows from something else.
WITHOUT = r"none\b|all nodes|the current one|the pod's own|[^|]*\$KUBECONFIG"
CHART_RESOURCES = VALUES["resources"]
PRESETS = yaml.safe_load((ROOT / "charts" / "lockstep" / "files" / "planning-presets.yaml").read_text())


@pytest.mark.parametrize(("page", "words", "where", "spelling"), STATED)
def test_number_of_a_page_is_that_of_the_code(page, words, where, spelling):
    assert words.format(SPELLINGS[spelling](resolve_name(where))) in text_of(page)


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
