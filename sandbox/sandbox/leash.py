"""Run as a script: become another program that the kernel kills as soon as the starter's process is gone.

``python leash.py STARTER_PID PROGRAM ARGUMENT...``. Standard library only, no imports from the package: it
has to start in milliseconds.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def run(starter: int, command: list[str]) -> None:
    """Replace this process by ``command``, tied to the life of the process ``starter``, which must be its parent."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # The starter may have died before the line above; then the signal will not come.
    if os.getppid() == starter:
        os.execv(command[0], command)  # noqa: S606 - becoming the command is this script's purpose


if __name__ == "__main__":
    run(int(sys.argv[1]), sys.argv[2:])
