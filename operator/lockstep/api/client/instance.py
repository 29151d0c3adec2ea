"""The name of this process for users."""

import os
import socket

from lockstep import __version__

FIELD_MANAGER = "lockstep"
"""The API server records fields that we have set under this name: it takes the user agent up to the slash."""


def instance_name() -> str:
    """The name of the pod or else the machine, as in events, the lease and the API server's audit log."""
    return os.environ.get("POD_NAME") or socket.gethostname()


def user_agent() -> str:
    """The user agent of its requests."""
    return f"{FIELD_MANAGER}/{__version__} ({instance_name()})"
