import os
import signal
import subprocess
import sys

import pytest

from eventually import eventually
from fake_programs import put_program
from sandbox import Lifetime, processes
from sandbox.processes import MARK, Mark

STARTER = """
import sys
from pathlib import Path
from sandbox.processes import Lifetime, Mark, start
folder, lifetime = Path(sys.argv[1]), Lifetime[sys.argv[2]]
start(["/bin/sleep", "600"], mark=Mark(folder, "part"), log=folder / "log", lifetime=lifetime)
print("started", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def mark(tmp_path):
    mark = Mark(tmp_path, "part")
    yield mark
    processes.kill(mark)


def start(mark, *command, lifetime=Lifetime.OWNED):
    return processes.start(command, mark=mark, log=mark.folder / "log", lifetime=lifetime)


def starter(mark, lifetime):
    return subprocess.Popen(
        [sys.executable, "-c", STARTER, str(mark.folder), lifetime.name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


@pytest.mark.parametrize("lifetime", Lifetime)
def test_process_is_found_by_its_mark_and_by_no_other(mark, tmp_path, lifetime):
    pid = start(mark, "/bin/sleep", "600", lifetime=lifetime)

    assert processes.running(mark.folder) == {pid: "part"}
    assert processes.running(tmp_path.parent) == {}
    assert processes.running(tmp_path.with_name(f"{tmp_path.name}2")) == {}


def test_process_that_is_becoming_its_program_is_found(mark, tmp_path, monkeypatch):
    entry = tmp_path / "proc" / "7"
    entry.mkdir(parents=True)
    (entry / "exe").symlink_to("/bin/sleep")
    (entry / "environ").touch()
    monkeypatch.setattr(processes, "PROC", entry.parent)
    monkeypatch.setattr(processes.time, "sleep", lambda _: (entry / "environ").write_text(f"{MARK}={tmp_path}:part"))

    assert processes.running(mark.folder) == {7: "part"}


def test_process_without_an_environment_is_nobodys(mark, tmp_path, monkeypatch):
    entry = tmp_path / "proc" / "7"
    entry.mkdir(parents=True)
    (entry / "exe").symlink_to("/bin/sleep")
    (entry / "environ").touch()
    monkeypatch.setattr(processes, "PROC", entry.parent)

    assert processes.running(mark.folder) == {}


def test_owned_process_does_not_outlive_a_killed_starter(mark):
    with starter(mark, Lifetime.OWNED) as process:
        process.stdout.readline()
        assert processes.running(mark.folder)

        process.kill()

    eventually(lambda: not processes.running(mark.folder))


def test_detached_process_outlives_its_starter(mark):
    with starter(mark, Lifetime.DETACHED) as process:
        process.stdout.readline()

        process.kill()

    assert list(processes.running(mark.folder).values()) == ["part"]


def test_end_waits_for_a_process_that_goes_when_asked(mark, tmp_path):
    polite = put_program(tmp_path, "polite", f"trap 'echo went > {tmp_path}/how; exit' TERM; echo up; sleep 600 & wait")
    start(mark, str(polite))
    eventually((mark.folder / "log").read_text)

    processes.end(mark, patience_seconds=60)

    assert processes.running(mark.folder) == {}
    assert (tmp_path / "how").read_text() == "went\n"


def test_end_kills_a_process_that_does_not_listen(mark, tmp_path):
    deaf = put_program(tmp_path, "deaf", "trap '' TERM; echo up; while true; do sleep 600; done")
    start(mark, str(deaf))
    eventually((mark.folder / "log").read_text)

    processes.end(mark, patience_seconds=0)

    assert processes.running(mark.folder) == {}


def test_end_leaves_other_components_alone(mark):
    other = Mark(mark.folder, "other")
    pid = start(other, "/bin/sleep", "600")
    start(mark, "/bin/sleep", "600")

    processes.end(mark, patience_seconds=60)

    assert processes.running(mark.folder) == {pid: "other"}
    processes.kill(other)


def test_reap_distinguishes_ended_from_running(mark):
    pid = start(mark, "/bin/sleep", "600")
    assert not processes.reap(pid)

    os.kill(pid, signal.SIGKILL)

    eventually(lambda: processes.reap(pid))
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_process_gets_no_settings_of_the_users(mark, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.com")
    monkeypatch.setenv("KUBECONFIG", "/of/the/user")

    start(mark, "/usr/bin/env")

    written = eventually((mark.folder / "log").read_text)
    names = {line.partition("=")[0] for line in written.splitlines()}
    assert {"HTTPS_PROXY", "KUBECONFIG"}.isdisjoint(names)
    assert "LOCKSTEP_SANDBOX_PROCESS" in names
