"""The pods that own the Gang of their group: Kubernetes deletes the Gang when the last of these pods is gone.

An object can't have all pods of a large group as owners. So some of the pods are owners, and others take the place of
owners that are gone.
"""

from heapq import nsmallest

from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.gang.pod_gang import MOST_OWNERS, GroupedPod, OwnerName, PodGang
from lockstep.facts.pods.pod import PodKey

# While at least this number of owners is left, none is added. It is more than two, since two can be deleted at once.
_FEWEST = 3


def lacks_owners(group: PodGroup, gang: PodGang | None) -> bool:
    """Whether pods own the Gang, too few of these owners are left, and the group has other pods that can own it."""
    if gang is None or gang.made_for is None or not group.terms:
        return False
    return len(_left(group, gang)) < min(_FEWEST, len(group.pods))


def owners_of_group(group: PodGroup, gang: PodGang | None) -> list[OwnerName]:
    """The pods that should own the Gang of that group: its present owners, and other pods if these are too few."""
    left = [] if gang is None else _left(group, gang)
    if gang is not None and not lacks_owners(group, gang):
        return left
    added = nsmallest(MOST_OWNERS, group.pods.values(), key=_by_life)
    return list(dict.fromkeys((*left, *(OwnerName(pod.key.name, pod.uid) for pod in added))))[:MOST_OWNERS]


def _left(group: PodGroup, gang: PodGang) -> list[OwnerName]:
    found = ((one, group.pods.get(PodKey(gang.key.namespace, one.name))) for one in gang.owners)
    return [one for one, pod in found if pod is not None and pod.uid == one.uid]


def _by_life(pod: GroupedPod) -> tuple[bool, str]:
    """A sort key: pods that have not ended and are not being deleted come first, since they exist for longest."""
    return pod.has_ended or pod.is_deleting, pod.key.name
