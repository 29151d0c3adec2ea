"""Finds stretches from two versions of a gang's status. Pure functions.

A stretch is a time in which a gang held resources at one size. All times are those of statuses. So each process that
leads finds the same stretches, with the same keys.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping

from lockstep.api.preemption import GangUid
from lockstep.belief.gangs.giving_way import evicted_for, shrunk_for
from lockstep.belief.run_times.work_lost import lost_seconds
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pod import Request
from lockstep.facts.reason_meanings import LACKING_PODS
from lockstep.facts.reasons import Condition, Reason
from lockstep.facts.records.gang_record import (
    LARGEST_AMOUNT,
    LONGEST_TEXT,
    MOST_KINDS,
    OTHER_KINDS,
    Stretch,
    StretchKey,
)

KindOf = Callable[[str], str]
"""Returns the kind of the node with that name; empty if the node has none."""

# It matches resources such as nvidia.com/gpu, amd.com/gpu and gpu.intel.com/i915.
GPU = re.compile(r"(.*/)?gpu(\..*)?|gpu\..*/.*")


def held_key(gang: GangFact) -> StretchKey | None:
    """The key of the stretch that is going on; None while the gang holds nothing."""
    status = gang.status
    # A placed Gang has no reservation: its pods hold what they request.
    is_placed = is_pod_gang(gang.key) and status.is_true(Condition.PLACED)
    if not status.members or status.end is not None or (status.reserved_at is None and not is_placed):
        return None
    return _key(status)


def last_key(gang: GangFact) -> StretchKey | None:
    """The key of the last stretch of a gang that has ended; None if the gang never held anything."""
    return _key(gang.status) if gang.status.members and gang.status.attempt else None


def stretch_of(gang: GangFact, key: StretchKey, requests: Mapping[str, Request], kind_of: KindOf) -> Stretch:
    """The stretch of that key, which is going on.

    ``requests`` has the request of one member, by the name of its role.
    """
    by_role, by_kind = Counter[str](), Counter[str]()
    for entry in gang.status.members:
        by_role[entry.role] += entry.count
        by_kind[kind_of(entry.node)] += entry.count
    taken = Counter[str]()
    for role, members in by_role.items():
        for resource, amount in requests.get(role, ()):
            taken[resource] += amount * members
    return Stretch(
        attempt=key.attempt,
        began=key.began,
        members=by_role.total(),
        millicores=min(taken["cpu"], LARGEST_AMOUNT),
        memory=min(taken["memory"], LARGEST_AMOUNT),
        gpus=min(gpus_in(taken), LARGEST_AMOUNT),
        kinds=_most_used(by_kind),
    )


def gpus_in(amounts: Mapping[str, int]) -> int:
    """The number of GPUs among these amounts."""
    return sum(amount for resource, amount in amounts.items() if GPU.fullmatch(resource))


def ended_at(before: GangFact, gang: GangFact) -> int:
    """The time at which the stretch in ``before`` ended, in seconds since 1970.

    ``gang`` is the later version: it holds nothing, or has another stretch.
    """
    following, after = held_key(gang), gang.status
    placed = after.condition(Condition.PLACED)
    if after.end is not None and after.finished_at is not None:
        ended = after.finished_at
    elif following is not None:
        ended = following.began
    else:
        ended = 0.0 if placed is None else placed.last_transition
    return max(round(ended), _key(before.status).began)


def reason_of_end(gang: GangFact) -> tuple[str, str]:
    """The reason and the message of a stretch's end, by the status after the end; both are '' if it has none."""
    after = gang.status
    if after.end is not None:
        return after.end.reason, after.end.message[:LONGEST_TEXT]
    if held_key(gang) is not None:
        shrunk = after.condition(Condition.PREEMPTED)
        return Reason.CHANGING_SIZE, shrunk.message[:LONGEST_TEXT] if shrunk is not None and shrunk_for(after) else ""
    why = after.condition(Condition.PLACED)
    if why is not None and why.reason in LACKING_PODS and evicted_for(after) is not None:
        # When a Gang gives way, its pods are deleted, so its condition ``Placed`` only says that it awaits pods.
        why = after.condition(Condition.PREEMPTED)
    return (why.reason, why.message[:LONGEST_TEXT]) if why is not None else ("", "")


def preemptor_of_end(before: GangStatus, after: GangStatus, reason: str) -> str:
    """The gang for which a stretch has ended, or the UID of a gang in another namespace; empty if there is none."""
    if reason in (Reason.PREEMPTED, Reason.RECLAIMED):
        gang = evicted_for(after) or evicted_for(before)
    elif reason == Reason.CHANGING_SIZE:
        gang = shrunk_for(after) or shrunk_for(before)
    else:
        gang = None
    if gang is None:
        return ""
    return gang.uid if isinstance(gang, GangUid) else str(gang)


def lost_work(before: GangFact, reason: str, stretch: Stretch, ended: int) -> int:
    """The work that was lost when a stretch ended, in seconds times members; 0 if the gang had not started."""
    started = before.status.started_at
    if started is None:
        return 0
    return round(lost_seconds(before.spec, reason, max(started, stretch.began), ended) * stretch.members)


def _key(status: GangStatus) -> StretchKey:
    begins = (status.start, status.reserved_at, status.started_at)
    began = next((time for time in begins if time is not None), 0.0)
    return StretchKey(status.attempt, round(max(began, status.resized_at or 0.0)))


def _most_used(kinds: Counter[str]) -> tuple[tuple[str, int], ...]:
    """The numbers of members on the most used kinds of nodes, by name of kind, and then one number for all others."""
    shown = sorted(kinds, key=lambda kind: (-kinds[kind], kind))[:MOST_KINDS]
    others = kinds.total() - sum(kinds[kind] for kind in shown)
    counted = [(kind, kinds[kind]) for kind in sorted(shown)]
    return tuple(counted + ([(OTHER_KINDS, others)] if others else []))
