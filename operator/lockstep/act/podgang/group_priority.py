"""Compares the priority of a PodGroup of Kubernetes with the priority of its pods.

The Gang has the priority of the pods.
"""

from itertools import islice

from coschedule import GangKey
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.scheduling_group import priority_of_scheduling_group
from lockstep.belief.podgangs.refusals import MOST_KINDS
from lockstep.belief.state import State


def higher_priority(state: State, gang: GangKey, group: Manifest) -> str:
    """Why a PodGroup with a higher priority than its pods is refused; '' if its priority is not higher.

    Quotas have counted the pods by their class, so a group can't raise their priority. The default priority is ignored:
    the API server writes it to each group that names no class. A lower priority is ignored, too.
    """
    wanted = priority_of_scheduling_group(group)
    if wanted is None or wanted == state.priorities.value_of(""):
        return ""
    for kind, pods in islice(state.pod_gangs.group(gang).waiting_by_kind(None), MOST_KINDS):
        has = state.priorities.value_of(kind.priority_class)
        if has is not None and has < wanted:
            pod = next(iter(pods)).name
            return (
                f"spec.priority: the group has the priority {wanted}, and pod {pod} has {has}. Give the pods "
                "the priority class of the group"
            )
    return ""
