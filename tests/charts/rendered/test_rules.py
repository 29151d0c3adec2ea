"""The shipped rules as the chart makes them: Prometheus takes them, with thresholds and runbooks of the values."""

import subprocess

import pytest
import yaml

from charts.helm import RefusedError, render
from observe.programs import program
from observe.rules_file import ALERTS, RECORDS
from sandbox.binaries import Tool


def rules(**values):
    """The groups of the PrometheusRule."""
    prometheus_rule = {"enabled": True, "renderMode": "alwaysRender", **values}
    return render({"metrics": {"prometheusRule": prometheus_rule}}).one("PrometheusRule")["spec"]


def by_name(spec):
    return {rule.get("alert") or rule["record"]: rule for group in spec["groups"] for rule in group["rules"]}


def test_prometheus_takes_what_is_rendered_and_it_is_what_the_file_says(tmp_path):
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump(rules()))
    done = subprocess.run([program(Tool.PROMTOOL), "check", "rules", file], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert by_name(rules()) == {**RECORDS, **ALERTS}


@pytest.mark.parametrize("threshold", [name.removeprefix("lockstep:threshold:") for name in RECORDS])
def test_threshold_of_the_values_counts(threshold):
    rendered = by_name(rules(thresholds={threshold: 1234567}))
    changed = {name for name, rule in rendered.items() if rule != {**RECORDS, **ALERTS}[name]}

    assert changed == {f"lockstep:threshold:{threshold}"}
    value = rendered[f"lockstep:threshold:{threshold}"]["expr"].removeprefix("vector(").removesuffix(")")
    assert float(value) == 1234567


@pytest.mark.parametrize(
    ("replicas", "thresholds", "want"), [(1, {}, 1), (2, {}, 0), (3, {}, 0), (1, {"replicasMissing": 0}, 0)]
)
def test_single_replica_that_is_asked_for_misses_no_standby(replicas, thresholds, want):
    values = {"enabled": True, "renderMode": "alwaysRender", "thresholds": thresholds}
    rendered = render({"replicaCount": replicas, "metrics": {"prometheusRule": values}}).one("PrometheusRule")["spec"]

    assert by_name(rendered)["lockstep:threshold:replicasMissing"]["expr"] == f"vector({want})"


def test_alert_has_no_address_that_a_browser_cannot_follow():
    rendered = by_name(rules())

    assert {name: rendered[name]["annotations"].get("runbook_url") for name in ALERTS} == dict.fromkeys(ALERTS)
    assert {rendered[name]["annotations"]["runbook"] for name in ALERTS} == {
        f"docs/runbooks/{one}.md" for one in ALERTS
    }


@pytest.mark.parametrize("address", ["docs", "/docs", "git.example.com/lockstep", "https://", "https:///lockstep"])
def test_address_of_the_runbooks_that_is_none_is_refused(address):
    with pytest.raises(RefusedError, match="runbookBaseUrl"):
        rules(runbookBaseUrl=address)


def test_unknown_threshold_is_refused():
    with pytest.raises(RefusedError, match=r"thresholds\.patience is no threshold of an alert"):
        rules(thresholds={"patience": 1})


@pytest.mark.parametrize("address", ["https://git.example.com/lockstep/main", "https://git.example.com/lockstep/main/"])
def test_runbooks_are_found_at_the_address_of_the_values(address):
    rendered = by_name(rules(runbookBaseUrl=address))

    assert {rendered[name]["annotations"]["runbook_url"] for name in ALERTS} == {
        f"https://git.example.com/lockstep/main/docs/runbooks/{name}.md" for name in ALERTS
    }
