"""What every command for users says of itself, and of what makes no sense."""

import pytest
from click import Context
from click.testing import CliRunner

from docs.markdown import ROOT
from lockstep.cli import main

PAGE = ROOT / "docs" / "command-line.md"
NOT_BY_THEMSELVES = {"replay": "curl", "solve": "echo"}
"""Commands whose input comes from others, by the command that their example begins with."""


def lockstep(*arguments):
    return CliRunner().invoke(main, list(arguments))


@pytest.mark.parametrize("command", main.list_commands(Context(main)))
def test_help_has_an_example(command):
    done = lockstep(command, "--help")

    assert done.exit_code == 0
    assert f"For example: {NOT_BY_THEMSELVES.get(command, f'lockstep {command}')}" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        pytest.param(["queue", "-A", "-n", "a"], "Of --namespace and --all-namespaces only one", id="two scopes"),
        pytest.param(["queue", "-o", "xml"], "'xml' is not one of", id="output"),
        pytest.param(["queue", "--kubeconfig", "/nowhere"], "there is no kubeconfig /nowhere", id="no kubeconfig"),
        pytest.param(["logs"], "Missing argument 'gj/NAME'", id="no gang"),
        pytest.param(["logs", "pod/a"], "pod/a names no GangJob: write gj/NAME", id="another kind"),
        pytest.param(["logs", "gj/a", "--rank", "-1"], "-1 is neither a rank nor a list of ranks", id="no rank"),
        pytest.param(["logs", "gj/a", "--rank", "1-"], "1- is neither a rank nor a list of ranks", id="half a range"),
        pytest.param(["logs", "gj/a", "--tail", "-1"], "-1 is not in the range", id="lines"),
        pytest.param(
            ["logs", "gj/a", "--kubeconfig", "/nowhere"], "there is no kubeconfig /nowhere", id="logs of nobody"
        ),
        pytest.param(["requeue", "gj/a", "--timeout", "soon"], "soon is not a duration", id="time"),
        pytest.param(
            ["requeue", "gj/a", "--kubeconfig", "/nowhere"], "there is no kubeconfig /nowhere", id="requeue nobody"
        ),
        pytest.param(
            ["fit", "gj/a", "--kubeconfig", "/nowhere"], "there is no kubeconfig /nowhere", id="the other name"
        ),
    ],
)
def test_wrong_arguments_end_it_with_one_sentence(arguments, want):
    done = lockstep(*arguments)

    lines = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert done.exit_code != 0
    assert len(lines) == 1, (done.stderr, done.exception)
    assert want in lines[0]


def test_page_has_every_command():
    page = PAGE.read_text()
    names = main.list_commands(None)

    assert [name for name in names if f"\n| `lockstep {name}" not in page] == []
