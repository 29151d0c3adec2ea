"""A script that replaces itself by another program. The kernel kills that program when the script's starter ends.

The command is ``python leash.py STARTER_PID PROGRAM ARGUMENT...``. The starter is the thread that has started the
script. The script has to start in milliseconds, so it imports only the standard library, and nothing from the package.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def run(starter: int, command: list[str]) -> None:
    """Replace this process by ``command``, which is killed when the starter ends.

    ``starter`` is the pid of the starter's process. If that process is no longer the parent of this one, do nothing.
    """
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # The starter may have ended before the line above. Then the kernel sends no signal.
    if os.getppid() == starter:
        os.execv(command[0], command)  # noqa: S606 - becoming the command is this script's purpose


if __name__ == "__main__":
    run(int(sys.argv[1]), sys.argv[2:])
