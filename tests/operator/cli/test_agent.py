"""The command of the agent: what it takes, and that it imports little."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from lockstep.cli.agent import agent

HEAVY = {"aiohttp", "asyncio", "coschedule", "kopf", "kubernetes", "numpy", "orjson", "prometheus_client", "yaml"}
LIGHT = f"import sys, lockstep.cli.agent; print({HEAVY!r} & set(sys.modules))"


def test_agent_imports_nothing_that_is_large():
    done = subprocess.run([sys.executable, "-c", LIGHT], check=True, capture_output=True, text=True)

    assert done.stdout == "set()\n"


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        pytest.param([], "Missing option '--node'", id="no node"),
        pytest.param(["--node=n1", "--period=0"], "less than three periods of 0 s", id="no period"),
        pytest.param(["--node=n1", "--period=1m", "--lifetime=2m"], "120 s is less than three periods", id="too short"),
        pytest.param(
            ["--node=n1", "--period=5m", "--lifetime=15m"],
            "--period is 300 s, and must be 240 s at most",
            id="a period at which nothing can be measured",
        ),
        pytest.param(["--node=n1", "--relative-change=nan"], "nan is not a number", id="no number"),
        pytest.param(["--node=n1"], "give the address of the API server with --api-server", id="no cluster"),
    ],
)
def test_agent_says_what_it_cannot_do(monkeypatch, arguments, want):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setattr("lockstep.cli.agent.set_up_logs", lambda *_: None)

    result = CliRunner().invoke(agent, arguments)

    assert result.exit_code == 2
    assert want in result.output
