"""Who sees colours: people at a terminal who have not said that they want none."""

import os
import subprocess
import sys

import pytest

SAYS = """
from lockstep.answers.member_logs import LogEntry
from lockstep.cli.logs import _show_as
_show_as("text")(LogEntry(3, 1, "g-1-3", bytes([27]) + b"[1mbold"))
"""


def shown(environment):
    """The format of a line of a log at a terminal."""
    ours, theirs = os.openpty()
    done = subprocess.run([sys.executable, "-c", SAYS], stdout=theirs, check=True, timeout=300, env=environment)
    os.close(theirs)
    written = os.read(ours, 1000)
    os.close(ours)
    assert done.returncode == 0
    return written.rstrip()


@pytest.mark.parametrize(
    ("environment", "want"),
    [
        pytest.param({}, b"\x1b[35m[3] \x1b[0m\x1b[1mbold", id="a terminal"),
        pytest.param({"NO_COLOR": ""}, b"\x1b[35m[3] \x1b[0m\x1b[1mbold", id="an empty wish"),
        pytest.param({"NO_COLOR": "1"}, b"[3] \x1b[1mbold", id="no colours wanted"),
    ],
)
def test_prefix_is_coloured_at_a_terminal_and_the_programs_own_bytes_stay(environment, want):
    assert shown(environment) == want


def test_what_is_no_terminal_gets_no_colours():
    done = subprocess.run([sys.executable, "-c", SAYS], capture_output=True, check=True, timeout=300)

    assert done.stdout == b"[3] \x1b[1mbold\n"
