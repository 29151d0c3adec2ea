"""The rules of planning: a preset, values that win over it, and their old names."""

import pytest
import yaml

from charts.helm import CHART, NAMESPACE, helm, render

PRESETS = yaml.safe_load((CHART / "files" / "planning-presets.yaml").read_text())
OPTIONS = {
    "keepNodesFreeFor": "--keep-nodes-free-for",
    "keepNodesFreeGangs": "--keep-nodes-free-gangs",
    "sizing": "--sizing",
    "priceFactor": "--price-factor",
    "promises": "--promises",
}


def planned_by(values):
    """The options of the rules that the operator gets."""
    given = (argument.partition("=") for argument in render(values).container["args"])
    return {option: value for option, _, value in given if option in OPTIONS.values()}


@pytest.mark.parametrize("name", PRESETS)
def test_preset_has_every_option(name):
    want = {OPTIONS[value]: str(setting) for value, setting in PRESETS[name].items()}

    assert planned_by({"planning": {"preset": name}}) == want
    assert want.keys() == set(OPTIONS.values())


@pytest.mark.parametrize(
    ("values", "option", "want"),
    [
        pytest.param({"planning": {"sizing": "Fastest"}}, "--sizing", "Fastest", id="a value"),
        pytest.param({"planning": {"priceFactor": 0}}, "--price-factor", "0", id="a price of nothing"),
        pytest.param({"planning": {"keepNodesFreeFor": 0}}, "--keep-nodes-free-for", "0", id="never"),
        pytest.param({"operator": {"holdFor": "7m"}}, "--keep-nodes-free-for", "7m", id="an old name"),
        pytest.param({"operator": {"holdingGangs": 0}}, "--keep-nodes-free-gangs", "0", id="none, by an old name"),
        pytest.param(
            {"planning": {"promises": "EASY"}, "operator": {"promises": "None"}}, "--promises", "EASY", id="both names"
        ),
    ],
)
def test_value_that_is_set_wins_over_the_preset(values, option, want):
    others = planned_by({})

    assert planned_by(values) == {**others, option: want}


def test_old_name_of_a_value_is_said_in_the_notes(tmp_path):
    file = tmp_path / "values.yaml"
    file.write_text(yaml.safe_dump({"operator": {"holdFor": "7m"}}))
    shown = helm("install", "lockstep", str(CHART), f"--namespace={NAMESPACE}", "--dry-run=client", f"--values={file}")

    assert shown.returncode == 0, shown.stderr
    said = [line for line in shown.stdout.splitlines() if "is the old name of" in line]
    assert said == ["operator.holdFor is the old name of planning.keepNodesFreeFor, and is still accepted."]
