import os
import re
import subprocess
import sys

import pytest

from sandbox import processes
from sandbox.binaries import Resolver, Tool
from sandbox.invocation import typed
from sandbox.progress import Silent


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)

    def run(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "sandbox", *arguments],
            env=os.environ | {"XDG_STATE_HOME": str(tmp_path)} | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    yield run
    run("down", "--name", "shown")


def test_up_status_env_and_down_follow_one_another(run, tmp_path):
    folder = tmp_path / "lockstep" / "sandboxes" / "shown"

    up = run("up", "--name", "shown", "--nodes", "3", "--with", "kwok")

    assert up.returncode == 0, up.stderr
    assert "The sandbox shown is up: https://127.0.0.1:" in up.stdout
    assert ", 3 nodes, kwok." in up.stdout
    assert "(cache, v" in up.stderr or "(PATH, " in up.stderr or "(folder named in the environment, " in up.stderr

    [evaluating] = re.findall(r'eval "\$\((.*)\)"', up.stdout)
    outside = {"PATH": "/usr/bin:/bin", "XDG_STATE_HOME": str(tmp_path)}
    environment = subprocess.run(
        ["sh", "-c", evaluating], env=outside, capture_output=True, text=True, check=True
    ).stdout
    assert environment == f"export KUBECONFIG={folder}/admin.kubeconfig\n"
    kubectl = Resolver.of_environment(Silent()).resolve(Tool.KUBECTL).path
    get_nodes = f"{environment} {kubectl} get nodes --no-headers"
    nodes = subprocess.run(["sh", "-c", get_nodes], capture_output=True, text=True, check=True).stdout
    assert [line.split()[:2] for line in nodes.splitlines()] == [["n01", "Ready"], ["n02", "Ready"], ["n03", "Ready"]]

    status = run("status").stdout
    assert "shown: running at https://127.0.0.1:" in status
    assert "running     etcd, kube-apiserver, kwok\n" in status

    processes.kill(processes.Mark(folder, "kwok"))
    status = run("status").stdout
    assert "shown: partly stopped at " in status
    assert "stopped     kwok\n" in status

    down = run("down", "--name", "shown")
    assert (down.returncode, down.stdout, down.stderr) == (0, "", "")
    assert processes.running(folder) == {}
    assert not folder.exists()


def outside_of_the_virtual_environment(command, **variables):
    """What a command prints in a shell that knows of no virtual environment."""
    known = {"PATH": "/usr/bin:/bin", **variables}
    return subprocess.run(["sh", "-c", command], env=known, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("command", ["up", "fetch"])
def test_release_of_kubernetes_that_can_not_be_had_is_named(run, command):
    done = run(command, "--kubernetes", "1.12")

    assert done.returncode == 1
    assert done.stderr == "Error: --kubernetes=1.12: choose among 1.35, 1.36, 1.37, or leave it out.\n"


def test_down_without_a_sandbox_is_fine(run):
    done = run("down")

    assert (done.returncode, done.stderr) == (0, "")


def test_status_without_a_sandbox_says_how_to_get_one(run):
    assert run("status").stdout == f"There is no sandbox; `{typed('up')}` starts one.\n"


def test_shell_in_which_the_virtual_environment_is_active_types_less(run):
    status = run("status", VIRTUAL_ENV=sys.prefix)

    assert status.stdout == "There is no sandbox; `python -m sandbox up` starts one.\n"


def test_env_without_a_sandbox_is_one_sentence_and_a_failure(run):
    done = run("env", "--name", "absent")

    assert done.returncode == 1
    assert done.stderr == f"Error: There is no sandbox absent; `{typed('up', '--name', 'absent')}` starts it.\n"


def test_sandbox_that_never_came_up_is_shown_with_its_remedy(run, tmp_path):
    (tmp_path / "lockstep" / "sandboxes" / "half").mkdir(parents=True)

    assert run("status").stdout == (f"half: not completely started; `{typed('down', '--name', 'half')}` deletes it\n")
    run("down", "--name", "half")
    assert "There is no sandbox" in run("status").stdout


def test_unknown_addon_is_answered_by_those_that_exist(run):
    done = run("up", "--with", "kwok,kubelet")

    assert done.returncode == 2
    assert "kubelet: choose among controller-manager, kwok, scheduler" in done.stderr
    assert "Traceback" not in done.stderr
