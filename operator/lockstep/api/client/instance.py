"""The name of this process for users."""

import os
import socket

from lockstep import __version__

FIELD_MANAGER = "lockstep"
"""The field manager of our writes. The API server takes it from the user agent, from the part before the slash."""


def instance_name() -> str:
    """The name of the pod, or else of the machine. It is in events, the lease and the API server's audit log."""
    return os.environ.get("POD_NAME") or socket.gethostname()


def user_agent() -> str:
    """The user agent of this process's requests."""
    return f"{FIELD_MANAGER}/{__version__} ({instance_name()})"
