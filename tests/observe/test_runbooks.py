"""Each alert has a runbook that answers the four questions of the person on call, with words that are there."""

import re

import pytest

from coschedule import Reason as PlanReason
from docs.markdown import ROOT, fences, prose
from lockstep.cli.run import run
from lockstep.facts.reasons import Condition, EventReason, Reason
from observe.rules_file import ALERTS, metrics_in, served_metrics

RUNBOOKS = ROOT / "docs" / "runbooks"
KUBECTL = {"get", "describe", "logs", "auth", "rollout", "delete", "top", "port-forward", "config", "create"}


@pytest.mark.parametrize("alert", ALERTS)
def test_runbook_is_where_the_alert_says_and_answers_four_questions(alert):
    page = ROOT / ALERTS[alert]["annotations"]["runbook"]

    assert page == RUNBOOKS / f"{alert}.md"
    assert page.read_text().startswith(f"# {alert}\n")
    assert re.findall(r"^## (.*)$", prose(page), re.MULTILINE) == ["Meaning", "Impact", "Diagnosis", "Mitigation"]
    assert any(fence.language == "sh" for fence in fences(page)), "the diagnosis has commands"


def test_there_is_no_runbook_without_an_alert():
    assert {page.stem for page in RUNBOOKS.glob("*.md")} == set(ALERTS)


@pytest.mark.parametrize("alert", ALERTS)
def test_runbook_names_metrics_options_and_reasons_that_are_there(alert):
    text = (RUNBOOKS / f"{alert}.md").read_text()
    options = re.findall(r"`(--[a-z-]+)", text)
    words = re.findall(r"`((?:[A-Z][a-z]+){2,})`", text)

    assert metrics_in(text) <= served_metrics()
    assert set(options) <= {option for parameter in run.params for option in parameter.opts}
    assert set(words) <= {*Reason, *PlanReason, *Condition, *EventReason}


@pytest.mark.parametrize("alert", ALERTS)
def test_runbook_has_commands_of_kubectl_and_helm_alone(alert):
    for fence in fences(RUNBOOKS / f"{alert}.md"):
        assert fence.language == "sh"
        for line in fence.text.splitlines():
            program, *words = line.split()
            verb = re.sub(r"^-n \S+ ", "", " ".join(words)).split()[0]
            assert program in ("kubectl", "helm")
            assert program == "helm" or verb in KUBECTL


def test_operations_names_every_alert_with_its_severity_and_its_threshold():
    page = (ROOT / "docs" / "operations" / "watching.md").read_text()
    rows = re.findall(
        r"^\| \[`(\w+)`\]\(\.\./runbooks/\1\.md\) \|[^|]*\| (\w+) \|(?: `(\w+)`)? \|$", page, re.MULTILINE
    )

    assert sorted(rows) == sorted(
        (name, rule["labels"]["severity"], "".join(re.findall(r"lockstep:threshold:(\w+)", rule["expr"])))
        for name, rule in ALERTS.items()
    )
