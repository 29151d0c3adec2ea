"""How long members may stay on tainted nodes: a toleration of a NoExecute taint may have ``tolerationSeconds``.

The time counts from when a member is on the node. So it limits the length of a run there, whenever the run starts.

Example: a node has the taint leaving:NoExecute, which members tolerate for 300 seconds. A run of 200 seconds may use
the node. A run of 400 seconds, or of unknown length, may not.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.constraints.terms import Taint, Toleration
from coschedule.queue.constraints.tolerance import Tolerance

_EVICTS = "NoExecute"


def longest_stay(taints: Iterable[Taint], tolerations: Sequence[Toleration]) -> float:
    """Return how many seconds a pod may stay on a node with these taints, all of which it tolerates; inf for ever.

    As in Kubernetes, the first matching toleration of each taint counts, and the taint that evicts soonest decides.
    """
    evicting = (taint for taint in taints if taint.effect == _EVICTS)
    return max(0.0, min((_seconds(taint, tolerations) for taint in evicting), default=math.inf))


def stays_by_node(
    taint_lists: Sequence[Iterable[Taint]], list_of: IntArray, tolerations: Sequence[Toleration]
) -> FloatArray | None:
    """Return how many seconds a pod may stay on each node, float[n]; ``None`` if no node limits the stay.

    Node ``n`` has the taints ``taint_lists[list_of[n]]``.
    """
    if all(toleration.seconds == math.inf for toleration in tolerations):
        return None
    by_list = np.array([longest_stay(taints, tolerations) for taints in taint_lists], dtype=np.float64)
    return by_list[list_of] if (by_list < math.inf).any() else None


def _seconds(taint: Taint, tolerations: Sequence[Toleration]) -> float:
    return next((one.seconds for one in tolerations if Tolerance((one,)).covers(taint)), math.inf)
