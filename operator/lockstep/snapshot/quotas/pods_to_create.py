"""The pods of a Gang that its owner has not created yet. Quotas count all others of its pods already."""

from collections import Counter
from collections.abc import Mapping

from coschedule import GangKey
from lockstep.belief.podgangs.pod_gangs import PodGangs


def creates_pods(pod_gangs: PodGangs, gang: GangKey) -> bool:
    """Whether the owner of a Gang creates all of its pods only once it has a size, or once nodes are reserved."""
    group = pod_gangs.group(gang)
    return pod_gangs.sized.of(gang) is not None and not (group.going or group.waiting)


def pods_to_create(pod_gangs: PodGangs, gang: GangKey, seats: Mapping[str, int]) -> Counter[str]:
    """How many pods of each role are still to be created for a reservation with these numbers of ``seats``.

    The cost does not depend on the number of pods. It is not known which role an existing pod will have, so the first
    roles count as created.
    """
    pods, found = pod_gangs.group(gang).own(pod_gangs.owner(gang), 0), Counter[str]()
    there = pods.going + pods.waiting
    for role, number in seats.items():
        created = min(there, number)
        there -= created
        found[role] = number - created
    return found
