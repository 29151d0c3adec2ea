"""Who this process is, as people know it."""

import os
import socket

from lockstep import __version__


def instance_name() -> str:
    """Its pod, else its machine: as events, the lease and the API server's audit log show it."""
    return os.environ.get("POD_NAME") or socket.gethostname()


def user_agent() -> str:
    """What it calls itself in its requests."""
    return f"lockstep/{__version__} ({instance_name()})"
