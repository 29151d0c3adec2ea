"""What a shell is told, and what kubectl is told for it, without a cluster."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).parent / "kubectl_complete-lockstep"


def complete(*words):
    done = subprocess.run(
        [PROGRAM, *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env={"KUBECONFIG": "/nowhere", "PATH": "/usr/bin:/bin"},
    )
    *found, directive = done.stdout.splitlines()
    return [line.partition("\t")[0] for line in found], directive


@pytest.mark.parametrize(
    ("words", "want"),
    [
        pytest.param(["re"], (["record", "replay", "requeue", "resize"], ":4"), id="commands"),
        pytest.param(["fi"], (["fit"], ":4"), id="another name"),
        pytest.param(["queue", "--all"], (["--all-namespaces"], ":4"), id="options"),
        pytest.param(["logs", "gj/a", "-o", "j"], (["json"], ":4"), id="values"),
        pytest.param(["init", "--from", ""], ([], ":0"), id="files"),
        pytest.param(["logs", "gj/"], ([], ":4"), id="gangs of no cluster"),
        pytest.param(["explain", "gang/"], ([], ":4"), id="Gangs of no cluster"),
    ],
)
def test_kubectl_is_told_how_a_command_goes_on(words, want):
    assert complete(*words) == want


def test_every_command_says_in_completion_what_it_does():
    done = subprocess.run([PROGRAM, ""], capture_output=True, text=True, check=True, timeout=300)

    assert all("\t" in line for line in done.stdout.splitlines()[:-1])
