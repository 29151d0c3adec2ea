"""A gang in one line, for people: what `kubectl get gj` prints of its status."""

from enum import StrEnum
from typing import NamedTuple


class GangState(StrEnum):
    """How far a gang is, in a word. Public: adding is compatible, renaming breaks users.

    ``WAITING``: nothing is chosen for it. ``PLANNED``: it has a start later on. ``STARTING``: members of it may exist,
    not all have been seen running. ``STOPPING``: its members are being taken back. ``DELETING``: it holds nothing, and
    somebody's finalizer keeps the object.
    """

    REFUSED = "Refused"
    WAITING = "Waiting"
    PLANNED = "Planned"
    STARTING = "Starting"
    RUNNING = "Running"
    STOPPING = "Stopping"
    SUSPENDED = "Suspended"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    DELETING = "Deleting"


class Summary(NamedTuple):
    """The state, the size with the range it is of, and what one wants to know next. Either text may be empty."""

    state: GangState
    size: str
    says: str
