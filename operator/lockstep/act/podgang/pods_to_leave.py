"""Chooses the pods that leave a Gang that shrinks, for owners that need the names of these pods.

The names are chosen at the moment of the change, from the pods that exist then. After a restart, the operator chooses
the same names. Pods that end anyway are named too. Otherwise the owner would count them as its pods, and remove other
pods.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from lockstep.belief.podgangs.pod_group import PodGroup, is_going
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.pod_gang import GroupedPod, PodGang
from lockstep.facts.gang.sized_owner import SizedOwner
from lockstep.snapshot.holders.elastic_pod_gangs import by_rank


def beyond(group: PodGroup, owner: SizedOwner, following: NextSize) -> Sequence[str] | None:
    """The pods that must leave for the next size: the highest ranks on nodes with too many pods, and unbound pods.

    Returns () if the owner needs no names. Returns None in three cases: a pod that must stay is gone, a pod that can't
    leave would have to leave, or the owner has yet to create pods.
    """
    if owner.elastic is None or not owner.names_leaving:
        return ()
    able = sorted(_able(group, owner), key=by_rank, reverse=True)
    too_many, found = Counter(pod.node for pod in group.going_pods()), list[str]()
    for entry in following.members:
        too_many[entry.node] -= entry.count
    for pod in filter(is_going, able):
        if too_many[pod.node] > 0:
            too_many[pod.node] -= 1
            found.append(pod.key.name)
    if any(too_many.values()) or len(able) < owner.elastic.pods - owner.elastic.fixed:
        return None
    return [*found, *(pod.key.name for pod in able if not pod.node or _ends(pod))]


def newest(group: PodGroup, owner: SizedOwner, gang: PodGang, size: int) -> Sequence[str]:
    """The pods that leave an owner that goes back to ``size``: first waiting pods, then pods of the last attempt.

    Pods that end anyway are added. () if the owner needs no names.
    """
    if owner.elastic is None or not owner.names_leaving:
        return ()
    last = (gang.uid, gang.status.attempt)

    def place(pod: GroupedPod) -> tuple[bool, bool, tuple[int, str]]:
        seat = pod.group.seat
        return seat is not None, seat is not None and (seat.gang_uid, seat.attempt) != last, by_rank(pod)

    staying = [pod for pod in _able(group, owner) if not _ends(pod)]
    too_many = max(0, len(staying) + owner.elastic.fixed - size)
    return [*(pod.key.name for pod in sorted(staying, key=place)[:too_many]), *_ending(group, owner)]


def _ending(group: PodGroup, owner: SizedOwner) -> Iterator[str]:
    return (pod.key.name for pod in _able(group, owner) if _ends(pod))


def _able(group: PodGroup, owner: SizedOwner) -> Iterator[GroupedPod]:
    """The pods of the owner that may leave."""
    role = "" if owner.elastic is None else owner.elastic.role
    return (pod for pod in group.pods.values() if pod.group.owner == owner.uid and pod.group.role == role)


def _ends(pod: GroupedPod) -> bool:
    return pod.is_deleting or pod.has_ended
