"""Every command of docs/for-tenants.md does what the page says, typed in by an editor of the namespace."""

import shlex

import pytest
import yaml
from click.testing import CliRunner

from builders.manifests import gang
from docs.markdown import ROOT, fences
from live.tenant_answers import HOUR
from lockstep.cli import main

PAGE = ROOT / "docs" / "for-tenants.md"
LOCKSTEP, KUBECTL = (
    [shlex.split(line) for line in fence.text.splitlines()]
    for fence in fences(PAGE)
    if (fence.language, fence.mark) == ("sh", "")
)
# The page's names, and those of the arena.
NAMES = {"gj/heat": "gj/mine", "heat": "mine", "physics": "tenant"}


def in_arena(words):
    return [NAMES.get(word, word).replace("/physics/", "/tenant/") for word in words]


@pytest.mark.parametrize("words", LOCKSTEP, ids=" ".join)
def test_command_is_answered_without_names_of_others(arena, editor, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wish.yaml").write_text(yaml.safe_dump(gang("wish", size=2, cpu="3", **HOUR)))
    program, *arguments = in_arena(words)

    done = CliRunner().invoke(main, [*arguments, f"--kubeconfig={editor}", "--namespace=tenant"])

    assert (program, done.exit_code) == ("lockstep", 0), done.output
    assert "API for tenants" in " ".join(done.stderr.split())
    assert [name for name in ("zebra", "okapi") if name in done.output] == []


@pytest.mark.parametrize("words", KUBECTL, ids=" ".join)
def test_object_is_shown(arena, editor, words):
    program, *arguments = in_arena(words)

    shown = arena.api.kubectl(f"--kubeconfig={editor}", *arguments)

    assert program == "kubectl"
    assert yaml.safe_load(shown)["apiVersion"] == "answers.lockstep.dev/v1alpha1"


def test_timeline_is_the_command_that_another_test_leaves_running():
    [stays] = [fence.text for fence in fences(PAGE) if fence.mark == "stays"]

    assert stays.split() == ["lockstep", "timeline"]
