import subprocess
import sys

import pytest

# The signal comes while the event's own lock is held: a handler that sets the event would wait for ever.
PROGRAM = """
import os, sys
from lockstep.cli.end_signals import set_by_end_signals

stop = set_by_end_signals()
lock, wait = stop._cond, stop._cond.wait
lock.wait = lambda timeout=None: os.kill(os.getpid(), int(sys.argv[1])) or wait(timeout)
stop.wait()
print("ended")
"""


@pytest.mark.parametrize("number", ["15", "2"])
def test_signal_ends_the_wait_wherever_it_comes(number):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, number], capture_output=True, text=True, timeout=300, check=True
    )

    assert done.stdout == "ended\n"
