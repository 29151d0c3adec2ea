"""Standard streams that are closed, or can't be written any more."""

import json
import subprocess
import sys

import pytest

from builders.command_files import write_command_files
from builders.manifests import gang as manifest
from engine.builders import gang

FULL = "Error: The output can't be written: No space left on device."
UNWRITABLE = "Error: The output can't be written: it is closed."
UNREADABLE = "Error: The input can't be read: it is closed."
SIMULATION = ["simulate", "--jobs", "10", "--nodes", "8", "--seeds", "1", "--policy", "easy"]
REQUEST = '{"problem": "equal", "nodes": [{}], "work": {"serial": 60}, "size": {"min": 1, "max": 1}}'


@pytest.fixture
def files(tmp_path, monkeypatch):
    """In the current folder: a recorded snapshot in which a gang waits, a gang to plan behind it, and a request."""
    waits = gang("waits", size=4, serial=60, request=(1, 1000, 1), member_price=0.5)
    write_command_files(tmp_path, waits, manifest("new", size=2, work={"serialTime": "40s"}))
    (tmp_path / "request").write_text(REQUEST)
    monkeypatch.chdir(tmp_path)


def lockstep(arguments, redirected):
    """Run a command with that redirection of a shell."""
    command = f'exec "$@" {redirected}'
    return subprocess.run(
        ["sh", "-c", command, "sh", sys.executable, "-m", "lockstep", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


PRINTING = [
    pytest.param(["replay", "then.json"], id="replay"),
    pytest.param(["plan", "-f", "new.yaml", "--snapshot", "then.json"], id="plan"),
    pytest.param(SIMULATION, id="simulate"),
    # More than a buffer takes.
    pytest.param(["run", "--help"], id="long help"),
]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("arguments", PRINTING)
@pytest.mark.parametrize(
    ("redirected", "want"), [(">/dev/full", FULL), (">&-", UNWRITABLE)], ids=["full", "closed output"]
)
def test_output_that_can_not_be_written_is_one_sentence(arguments, redirected, want):
    assert_last_words(lockstep(arguments, redirected), want)


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_output_may_have_a_buffer_of_its_own_or_none(monkeypatch, unbuffered):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)

    assert_last_words(lockstep(["--version"], ">/dev/full"), FULL)


@pytest.mark.usefixtures("files")
def test_answers_of_the_engine_that_can_not_be_written_are_one_sentence():
    assert_last_words(lockstep(["solve"], "<request >/dev/full"), FULL)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["replay", "-"], id="replay"),
        pytest.param(["plan", "-f", "-", "--snapshot", "then.json"], id="plan"),
        pytest.param(["plan", "-f", "new.yaml", "--snapshot", "-"], id="snapshot"),
        pytest.param(["simulate", "--trace", "-"], id="simulate"),
        pytest.param(["init", "--from", "-"], id="init"),
        pytest.param(["solve"], id="solve"),
    ],
)
def test_input_that_is_closed_is_one_sentence(arguments):
    assert_last_words(lockstep(arguments, "<&-"), UNREADABLE)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["replay", "/proc/self/mem"], id="replay"),
        pytest.param(["plan", "-f", "/proc/self/mem", "--snapshot", "then.json"], id="plan"),
        pytest.param(["simulate", "--trace", "/proc/self/mem"], id="simulate"),
        pytest.param(["init", "--from", "/proc/self/mem"], id="init"),
    ],
)
def test_disk_that_fails_is_one_sentence(arguments):
    """Nothing is mapped where that file begins, so that reading it fails as a bad disk does."""
    assert_last_words(lockstep(arguments, ""), "Error: The input can't be read: Input/output error.")


@pytest.mark.usefixtures("files")
def test_closed_streams_that_a_command_does_not_need_are_none_of_its_business():
    """Where messages go nowhere, progress must not go into the answer."""
    done = lockstep(["plan", "-f", "new.yaml", "--snapshot", "then.json", "-o", "json"], "<&- 2>&-")

    assert done.returncode == 0
    assert json.loads(done.stdout)["delays"] == []


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("redirected", ["2>/dev/full", "2>/dev/full <&-"])
@pytest.mark.parametrize("arguments", [SIMULATION, ["plan", "-f", "new.yaml", "--snapshot", "then.json"]])
def test_progress_that_can_not_be_written_keeps_nothing_from_being_done(arguments, redirected):
    done = lockstep(arguments, redirected)

    assert done.returncode == 0
    assert done.stdout == lockstep(arguments, "").stdout


def test_error_that_can_not_be_written_is_one_still():
    done = lockstep(["replay", "/nowhere"], "2>/dev/full")

    assert (done.returncode, done.stdout) == (2, "")


def test_reader_that_stops_gets_no_message():
    done = lockstep(["run", "--help"], "| true")

    assert "rror" not in done.stderr


def assert_last_words(done, want):
    """What comes before are headings of progress."""
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1:] == [want], done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_character_that_the_encoding_of_the_output_lacks_is_written_as_an_escape(monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    answers = ["--image=a", "--command=echo …", "--members=1", "--requests=cpu=1", "--serial-time="]

    done = lockstep(["init", "heat", *answers, "--output=json"], "")

    [container] = json.loads(done.stdout)["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["echo", "…"]
    assert done.returncode == 0
