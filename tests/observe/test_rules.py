"""Alerts: what Prometheus makes of them, and when they fire and when not."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from observe.programs import program
from observe.rules_file import ALERTS, RECORDS, RULES, metrics_in, served_metrics
from sandbox.binaries import Tool

CASES = Path(__file__).parent / "rules"
WANT_ALERTS = {
    "LockstepNoLeader",
    "LockstepCycleErrors",
    "LockstepCycleStalled",
    "LockstepGangPendingTooLong",
    "LockstepAttemptsUndone",
    "LockstepSizeChangesDropped",
    "LockstepWatchStale",
    "LockstepTokenTrouble",
    "LockstepRightsMissing",
    "LockstepRecordsWaiting",
    "LockstepTwoLeaders",
    "LockstepNoStandby",
    "LockstepBidsExpired",
    "LockstepMemoryNearLimit",
}


@pytest.fixture(scope="module")
def promtool():
    """Runs promtool, and gives back what it says."""

    def run(*arguments):
        done = subprocess.run(
            [program(Tool.PROMTOOL), *map(str, arguments)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_prometheus_takes_the_rules(promtool):
    assert f"{len(ALERTS) + len(RECORDS)} rules found" in promtool("check", "rules", RULES)


@pytest.mark.parametrize("alert", sorted(WANT_ALERTS))
def test_alert_fires_when_it_must_and_only_then(promtool, alert):
    promtool("test", "rules", CASES / f"{alert}.yaml")


@pytest.mark.parametrize("alert", sorted(WANT_ALERTS))
def test_cases_of_an_alert_are_of_both_kinds(alert):
    tests = yaml.safe_load((CASES / f"{alert}.yaml").read_text())["tests"]
    expected = [[bool(one["exp_samples"]) for one in test["promql_expr_test"]] for test in tests]

    assert any(any(fires) for fires in expected)
    assert any(not any(fires) for fires in expected)
    assert {one["expr"] for test in tests for one in test["promql_expr_test"]} == {
        f'ALERTS{{alertname="{alert}", alertstate="firing"}}'
    }


def test_there_are_these_alerts():
    assert set(ALERTS) == WANT_ALERTS


@pytest.mark.parametrize("alert", ALERTS)
def test_alert_asks_for_metrics_that_are_served(alert):
    assert metrics_in(ALERTS[alert]["expr"])
    assert metrics_in(ALERTS[alert]["expr"]) <= served_metrics()


def test_every_threshold_is_a_number_by_itself_before_the_alerts_and_one_of_them_asks_for_it():
    asked = " ".join(alert["expr"] for alert in ALERTS.values())
    group = yaml.safe_load(RULES.read_text())["groups"]

    assert [["record" in rule for rule in one["rules"]] for one in group] == [
        [True] * len(RECORDS) + [False] * len(ALERTS)
    ]
    for name, rule in RECORDS.items():
        assert re.fullmatch(r"lockstep:threshold:[a-z][A-Za-z]+", name)
        assert re.fullmatch(r"vector\(\d+\)", rule["expr"])
        assert asked.count(f"> on () group_left () {name}") == 1
    assert set(re.findall(r"lockstep:\S+", asked)) == set(RECORDS)


@pytest.mark.parametrize("alert", ALERTS)
def test_alert_says_what_a_person_on_call_must_know(alert):
    rule = ALERTS[alert]

    assert rule["for"]
    assert rule["labels"]["severity"] in {"critical", "warning"}
    assert set(rule["annotations"]) == {"summary", "description", "runbook"}
    assert re.fullmatch(r"[A-Z].*\.", rule["annotations"]["summary"])
    assert re.fullmatch(r"(?s)\S.*\.", rule["annotations"]["description"])
