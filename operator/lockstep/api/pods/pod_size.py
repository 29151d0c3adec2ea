"""How much of a pod's spec is looked at: far more than pods have, and little enough to be read in a moment.

The pods of others are of any size that the API server stores. One beyond these bounds is not understood
(``doubtful.py``), and a gang whose members would be is refused.
"""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from lockstep.facts.pods.pod import Request

Manifest = Mapping[str, Any]

MOST_CONTAINERS = 500
MOST_VOLUMES = 1_000
MOST_RESOURCES = 2_000
"""So many amounts of resources all containers together may name."""
MOST_EXCLUSIVE = 1_000
"""So many host ports, disks and monitors of disks a pod may have."""
MOST_EXCLUSIVE_OF_ROLE = 64
"""And so many each member of a role: a plan tells them apart on every node."""


class TooLongError(ValueError):
    """A list of a pod's spec is too long; the clause begins with its field."""


def check_size(spec: Manifest) -> None:
    """Raise ``TooLongError`` for the first list of a pod's spec that is."""
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    _check("containers", len(containers), MOST_CONTAINERS)
    _check("volumes", len(spec.get("volumes") or ()), MOST_VOLUMES)
    holders = chain(containers, (spec,))
    wanted = [holder.get("resources") or {} for holder in holders]
    amounts = sum(len(one.get(part) or ()) for one in wanted for part in ("requests", "limits"))
    _check("containers[*].resources", amounts + len(spec.get("overhead") or ()), MOST_RESOURCES)


def few_exclusive(taken: Iterable[tuple[str, int]], most: int = MOST_EXCLUSIVE) -> Request:
    """What a pod takes of the columns that exclude others, the larger amount of each. Raises ``TooLongError``."""
    columns: dict[str, int] = {}
    for name, amount in taken:
        columns[name] = max(amount, columns.get(name, 0))
        if len(columns) > most:
            raise TooLongError(f"containers[*].ports, volumes: it has more than {most} host ports and disks")
    return tuple(columns.items())


def _check(field: str, count: int, most: int) -> None:
    if count > most:
        raise TooLongError(f"{field}: it has {count}, and at most {most} can be looked at")
