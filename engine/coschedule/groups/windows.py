"""Which slow-down a gang must accept when nodes are taken back.

For a start and a size, raising the allowed slow-down brings in slower nodes but makes the run longer, so that nodes
drop out which are taken back sooner. A node that is too early for one slow-down is too early for every larger one:
dropping such nodes and looking again therefore ends at the smallest slow-down that works, or shows that none does.
"""

import math

import numpy as np

from coschedule.groups.slots import Places
from coschedule.numbers import BoolArray, Scalar


def least_slowdown(places: Places, within: BoolArray, *, size: int, start: Scalar, time: Scalar) -> Scalar | None:
    """Find the least slow-down at which ``size`` of the places ``within`` last until start + slow-down * time.

    ``time`` is T(size) on idle reference nodes. None when there is no such slow-down. Each round drops a node at least.
    """
    entries = np.flatnonzero(within)
    while True:
        held = np.cumsum(places.count[entries])
        if not held.size or held[-1] < size:
            return None
        last = int(np.searchsorted(held, size))
        slowdown = places.slowdown[entries[last]]
        lasting = places.until[entries] >= start + slowdown * time
        if lasting[: last + 1].all():
            return slowdown
        entries = entries[lasting]


def has_windows(places: Places) -> bool:
    """Whether any node is ever taken back."""
    return bool((places.until < math.inf).any())
