"""A gang in one line: the columns that ``kubectl get gj`` prints from its status."""

from enum import StrEnum
from typing import NamedTuple


class GangState(StrEnum):
    """The state of a gang in a word. Users read these names: new ones may be added, none may be renamed.

    ``WAITING``: it has no start. ``PLANNED``: it has a later start. ``STARTING``: members may exist, and not all were
    observed as running. ``STOPPING``: its attempt is being torn down. ``DELETING``: it holds nothing, and a finalizer
    keeps the object.
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
    """The state, the size with its range, and the most useful detail. Either text may be empty."""

    state: GangState
    size: str
    says: str
