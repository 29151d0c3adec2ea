"""Bounds for the parts of a pod's spec that are read. They are far beyond what pods need, and keep reading fast.

Other tenants' pods may have any size that the API server stores. A pod beyond these bounds counts as unreadable
(``unreadable_objects.py``), and a gang with such members is refused.
"""

from collections.abc import Iterable
from itertools import chain

from lockstep.api.manifest import Manifest
from lockstep.facts.pods.pod import Request

MOST_CONTAINERS = 500
MOST_VOLUMES = 1_000
MOST_RESOURCES = 2_000
"""The most amounts of resources in all containers of a pod together."""
MOST_EXCLUSIVE = 1_000
"""The most host ports and disks that a pod may have. An RBD image counts once for each of its monitors."""
MOST_EXCLUSIVE_OF_ROLE = 64
"""The most host ports and disks, counted in the same way, that a member of a role may have.

A plan has a column for each of them on every node.
"""


class TooLongError(ValueError):
    """A list of a pod's spec is too long; the message begins with its field."""


def check_size(spec: Manifest) -> None:
    """Raise ``TooLongError`` for the first list in a pod's spec that is too long."""
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    _check("containers", len(containers), MOST_CONTAINERS)
    _check("volumes", len(spec.get("volumes") or ()), MOST_VOLUMES)
    holders = chain(containers, (spec,))
    wanted = [holder.get("resources") or {} for holder in holders]
    amounts = sum(len(one.get(part) or ()) for one in wanted for part in ("requests", "limits"))
    _check("containers[*].resources", amounts + len(spec.get("overhead") or ()), MOST_RESOURCES)


def few_exclusive(taken: Iterable[tuple[str, int]], most: int = MOST_EXCLUSIVE) -> Request:
    """The exclusive columns that a pod takes, with the larger amount of each. Raises ``TooLongError`` for too many."""
    columns: dict[str, int] = {}
    for number, (name, amount) in enumerate(taken, 1):
        columns[name] = max(amount, columns.get(name, 0))
        if number > most:
            raise TooLongError(f"containers[*].ports, volumes: it has more than {most} host ports and disks")
    return tuple(columns.items())


def _check(field: str, count: int, most: int) -> None:
    if count > most:
        raise TooLongError(f"{field}: it has {count}, and at most {most} can be read")
