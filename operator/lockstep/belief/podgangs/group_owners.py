"""The pods that own the Gang of their group: Kubernetes deletes it when the last of them is gone.

All pods of a large group would be more than an object holds. So some of them are owners, and others take the place of
those that are gone.
"""

from heapq import nsmallest

from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.gang.pod_gang import MOST_OWNERS, GroupedPod, OwnerName, PodGang
from lockstep.facts.pods.pod import PodKey

# While so many are left, none is added: two can be deleted at once.
_FEWEST = 3


def lacks_owners(group: PodGroup, gang: PodGang | None) -> bool:
    """Whether pods own the Gang, too few of these are left, and others could own it too."""
    if gang is None or gang.made_for is None or not group.terms:
        return False
    return len(_left(group, gang)) < min(_FEWEST, len(group.pods))


def owners_of_group(group: PodGroup, gang: PodGang | None) -> list[OwnerName]:
    """The pods that are to own the Gang of that group: those that do, and others if these are too few."""
    left = [] if gang is None else _left(group, gang)
    if gang is not None and not lacks_owners(group, gang):
        return left
    added = nsmallest(MOST_OWNERS, group.pods.values(), key=_by_life)
    return list(dict.fromkeys((*left, *(OwnerName(pod.key.name, pod.uid) for pod in added))))[:MOST_OWNERS]


def _left(group: PodGroup, gang: PodGang) -> list[OwnerName]:
    found = ((one, group.pods.get(PodKey(gang.key.namespace, one.name))) for one in gang.owners)
    return [one for one, pod in found if pod is not None and pod.uid == one.uid]


def _by_life(pod: GroupedPod) -> tuple[bool, str]:
    """Pods that go on are there for longest."""
    return pod.has_ended or pod.is_deleting, pod.key.name
