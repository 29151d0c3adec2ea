"""What is placed as gangs beside GangJobs, as one types it."""

import pytest
from click.testing import CliRunner

from lockstep.cli.run import run
from lockstep.facts.gang.source import Source


def sources(*arguments):
    with run.make_context("run", list(arguments)) as context:
        return context.params["sources"]


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        pytest.param([], frozenset(), id="nothing by default"),
        pytest.param(["--sources="], frozenset(), id="nothing"),
        pytest.param(["--sources=pods"], {Source.PODS}, id="pods"),
        pytest.param(["--sources", "pods,pods"], {Source.PODS}, id="the same twice"),
        pytest.param(["--sources", "all"], frozenset(Source), id="all"),
    ],
)
def test_sources_are_those_that_are_named(arguments, want):
    assert sources(*arguments) == want


def test_sources_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("LOCKSTEP_RUN_SOURCES", "pods")

    with run.make_context("run", [], auto_envvar_prefix="LOCKSTEP_RUN") as context:
        assert context.params["sources"] == {Source.PODS}


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("jobs", "'jobs'", id="another one"),
        pytest.param("pods,jobs", "'jobs'", id="another one beside a known one"),
        pytest.param("Pods", "'Pods'", id="in capitals"),
        pytest.param("pods,", "''", id="a comma too many"),
        pytest.param("pods,all", "'all'", id="all beside another"),
    ],
)
def test_unknown_source_is_refused_with_the_choices(text, want):
    result = CliRunner().invoke(run, ["--sources", text])

    assert result.exit_code == 2
    assert f"Invalid value for '--sources': {want} is not a source: choose from pods" in result.output
