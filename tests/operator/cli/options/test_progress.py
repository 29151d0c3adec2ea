"""Commands that can take long show on a terminal how far they are; elsewhere only what they do, beside the answer."""

import os
import pty
import subprocess
import sys
from contextlib import suppress

import pytest

from builders.command_files import write_command_files
from builders.manifests import gang as manifest
from engine.builders import gang
from lockstep.cli.options.answer_options import waiting_with_progress

SIMULATION = ["simulate", "--jobs", "20", "--nodes", "8", "--seeds", "1", "--policy", "easy"]
PLAN = ["plan", "-f", "new.yaml", "--snapshot", "then.json"]
LONG = [
    pytest.param(SIMULATION, "Simulating", id="simulate"),
    pytest.param(PLAN, "Trying what would help", id="plan"),
]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """In the current folder: a recorded snapshot of a node that a gang waits for, and a gang to plan behind that."""
    waits = gang("waits", size=2, serial=86_400, request=(1, 1000, 1), member_price=0.5)
    write_command_files(tmp_path, waits, manifest("new", size=2, cpu="1", work={"serialTime": "40s"}))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def terminal():
    """Both ends of a terminal: what is read from the first, and what a process writes to."""
    ends = pty.openpty()
    yield ends
    for end in ends:
        os.close(end)


def whole(screen):
    """All that was written to a terminal so far."""
    os.set_blocking(screen, False)
    shown = b""
    with suppress(BlockingIOError):
        while True:
            shown += os.read(screen, 4096)
    return shown.decode()


def lockstep(arguments, stderr):
    """Run the command with its messages going there."""
    command = [sys.executable, "-m", "lockstep", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=300, check=True)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("arguments", "label"), LONG)
def test_long_command_shows_on_a_terminal_how_far_it_is(arguments, label, terminal):
    screen, written_to = terminal
    done = lockstep(arguments, written_to)

    shown = whole(screen)
    assert f"{label}  [" in shown
    assert "100%" in shown
    assert label not in done.stdout


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("arguments", "label"), LONG)
def test_elsewhere_a_long_command_says_what_it_does_and_nothing_again_and_again(arguments, label):
    assert lockstep(arguments, subprocess.PIPE).stderr.splitlines() == [label]


def test_waiting_command_shows_that_it_still_checks(terminal, monkeypatch):
    screen, written_to = terminal
    with os.fdopen(os.dup(written_to), "w") as stderr:
        monkeypatch.setattr("sys.stderr", stderr)
        with waiting_with_progress("Waiting") as made_progress:
            for _ in range(3):
                made_progress()
    shown = whole(screen)

    assert "Waiting  [" in shown
    assert "%" not in shown, "its end is unknown"
    assert shown.endswith("\n")
