"""What a shell completes, and what kubectl answers for it, without a cluster."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.shell_completion import ShellComplete

from builders.served import gang
from fake_cluster.rig import api_with
from fake_cluster.sweeps import sweep
from lockstep.cli import main
from lockstep.cli.options import gang_names

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
        pytest.param(["s"], (["simulate"], ":4"), id="no commands for machines"),
        pytest.param(["queue", "--all"], (["--all-namespaces"], ":4"), id="options"),
        pytest.param(["logs", "gj/a", "-o", "j"], (["json"], ":4"), id="values"),
        pytest.param(["init", "--from", ""], ([], ":0"), id="files"),
        pytest.param(["logs", "gj/"], ([], ":4"), id="gangs of no cluster"),
        pytest.param(["explain", "gang/"], ([], ":4"), id="Gangs of no cluster"),
        pytest.param(["explain", "sweep/"], ([], ":4"), id="sweeps of no cluster"),
    ],
)
def test_kubectl_gets_the_completions_of_a_command(words, want):
    assert complete(*words) == want


def test_every_command_says_in_completion_what_it_does():
    done = subprocess.run([PROGRAM, ""], capture_output=True, text=True, check=True, timeout=300)

    assert all("\t" in line for line in done.stdout.splitlines()[:-1])


def kubeconfig_of(api, folder):
    """A kubeconfig that leads to the fake API server."""
    file = folder / "kubeconfig"
    cluster = {"name": "fake", "cluster": {"server": api.configuration.host}}
    context = {"name": "fake", "context": {"cluster": "fake", "user": "fake", "namespace": "default"}}
    users = [{"name": "fake", "user": {}}]
    document = {"clusters": [cluster], "contexts": [context], "users": users, "current-context": "fake"}
    file.write_text(yaml.safe_dump(document))
    return file


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("words", "want"),
    [
        ("explain sweep/ti", ["sweep/tiles", "sweep/tints"]),
        ("logs GangSweeps/ti", ["GangSweeps/tiles", "GangSweeps/tints"]),
        ("requeue sweep/tile", ["sweep/tiles"]),
        ("explain gj/ti", ["gj/ticks"]),
        ("logs ti", ["ticks"]),
    ],
)
async def test_names_of_the_kind_before_the_slash_are_completed(words, want, tmp_path, monkeypatch):
    monkeypatch.setattr(gang_names, "_SECONDS", 60.0)
    command, incomplete = words.split()
    async with api_with(gangs=[gang("ticks")]) as api:
        for name in ("tiles", "tints", "other"):
            api.store.create("gangsweeps", sweep(name))
        given = [command, "--kubeconfig", str(kubeconfig_of(api, tmp_path))]
        completes = ShellComplete(main, {}, "lockstep", "").get_completions
        found = await asyncio.to_thread(completes, given, incomplete)

    assert [one.value for one in found] == want
