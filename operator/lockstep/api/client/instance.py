"""The name of this process for users."""

import os
import socket

from lockstep import __version__


def instance_name() -> str:
    """The name of the pod or else the machine, as in events, the lease and the API server's audit log."""
    return os.environ.get("POD_NAME") or socket.gethostname()


def user_agent() -> str:
    """The user agent of its requests."""
    return f"lockstep/{__version__} ({instance_name()})"
