"""Whether the owner is there: sessions of logind, input at terminals, local load."""

import os

import pytest

from builders.usage import usage
from lockstep.agent.measuring.presence import owner_is_there

NOW = 1_795_449_600.0
TEXT = "# This is private data. Do not parse.\nUID=1000\nUSER=alice\nACTIVE=1\nSTATE=active\nREMOTE=0\n"
AT_A_SCREEN = TEXT + "TYPE=wayland\nCLASS=user\nSEAT=seat0\nTTY=tty2\nVTNR=2\n"
AT_A_TERMINAL = TEXT + "TYPE=tty\nCLASS=user\nTTY=pts/0\n"


def logind(root, **sessions):
    """Lay out /run/systemd/sessions, with the pipe that logind keeps beside each file."""
    folder = root / "run" / "systemd" / "sessions"
    folder.mkdir(parents=True)
    for name, text in sessions.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        os.mkfifo(folder / f"{name}.ref")


def terminal(root, name, *, read_at, written_at=NOW):
    path = root / "dev" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (read_at, written_at))


@pytest.mark.parametrize(
    ("sessions", "want"),
    [
        pytest.param({}, False, id="no user is logged in"),
        pytest.param({"2": AT_A_SCREEN}, True, id="a user is at the screen"),
        pytest.param({"5": AT_A_TERMINAL}, True, id="a user is at a terminal that cannot be seen"),
        pytest.param({"c1": AT_A_SCREEN.replace("CLASS=user", "CLASS=greeter")}, False, id="the greeter waits"),
        pytest.param({"2": AT_A_SCREEN.replace("STATE=active", "STATE=online")}, False, id="another screen is shown"),
        pytest.param({"2": AT_A_SCREEN.replace("ACTIVE=1", "ACTIVE=0")}, False, id="the session is not active"),
        pytest.param({"2": AT_A_TERMINAL.replace("STATE=active", "STATE=closing")}, False, id="the session is closing"),
        pytest.param({"7": TEXT + "TYPE=unspecified\nCLASS=user\n"}, False, id="cron has a session without a terminal"),
        pytest.param({"1": b"\x00\xff" * 500, "2": "ACTIVE", "3": "=\n" * 50_000}, False, id="files are nonsense"),
    ],
)
def test_presence_by_sessions(tmp_path, sessions, want):
    logind(tmp_path, **sessions)

    assert owner_is_there(tmp_path, NOW, usage(host=4)) is want


@pytest.mark.parametrize(
    ("read_ago", "want"),
    [
        pytest.param(60, True, id="a key was pressed a minute ago"),
        pytest.param(3600, False, id="no key for an hour"),
        pytest.param(-7200, False, id="a key was pressed before the clock was set back"),
    ],
)
@pytest.mark.parametrize("name", ["pts/0", "tty2", "ttyS0"])
def test_presence_by_input(tmp_path, name, read_ago, want):
    logind(tmp_path, one=AT_A_TERMINAL)
    terminal(tmp_path, name, read_at=NOW - read_ago)

    assert owner_is_there(tmp_path, NOW, usage()) is want


def test_program_that_prints_is_not_a_users_presence(tmp_path):
    logind(tmp_path, one=AT_A_TERMINAL)
    terminal(tmp_path, "pts/0", read_at=NOW - 3600, written_at=NOW)

    assert not owner_is_there(tmp_path, NOW, usage())


@pytest.mark.parametrize("name", ["tty", "pts/ptmx", "null"])
def test_devices_that_are_no_terminal_say_nothing(tmp_path, name):
    terminal(tmp_path, name, read_at=NOW)

    assert not owner_is_there(tmp_path, NOW, usage())


@pytest.mark.parametrize(
    ("lately", "want"),
    [
        pytest.param(usage(host=0.1, cores=2), False, id="the kubelet alone"),
        pytest.param(usage(host=0.5, cores=2), True, id="work on a small machine"),
        pytest.param(usage(host=2, cores=64), False, id="the daemons of a large one"),
        pytest.param(usage(host=8, cores=64), True, id="work on a large one"),
        pytest.param(usage(pods=60, cores=64), False, id="pods are no owner's work"),
    ],
)
def test_presence_by_load_where_there_is_no_logind(tmp_path, lately, want):
    terminal(tmp_path, "tty1", read_at=NOW - 86_400)

    assert owner_is_there(tmp_path, NOW, lately) is want


def test_terminals_alone_show_presence_before_enough_load_is_measured(tmp_path):
    terminal(tmp_path, "tty1", read_at=NOW - 86_400)
    assert owner_is_there(tmp_path, NOW, None) is None

    terminal(tmp_path, "tty2", read_at=NOW - 60)
    assert owner_is_there(tmp_path, NOW, None) is True
