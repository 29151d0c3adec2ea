"""Writing a GangJob's status: whole, in one request, and only over the version it was computed from."""

from enum import Enum, auto
from typing import Any

from lockstep import paths
from lockstep.facts import GangFact, GangStatus, Members
from lockstep.kube import KubeClient
from lockstep.state import State
from lockstep.watch.gangjob import parse_gang
from lockstep.watch.quantities import rfc3339

_NOT_FOUND = 404
_CONFLICT = 409


class Written(Enum):
    """What became of a write."""

    DONE = auto()
    CONFLICT = auto()
    GONE = auto()
    REFUSED = auto()


async def write_status(client: KubeClient, state: State, gang: GangFact, status: GangStatus) -> Written:
    """Write the status if the gang is still the version that ``gang`` is, and believe the answer.

    After a conflict the newer version is read and believed, so that whoever asked can compute again. Raises
    ``ApiUnavailableError``; the write may then have happened, which the next one finds out by a conflict.
    """
    body = {
        "metadata": {"resourceVersion": gang.resource_version, "uid": gang.uid},
        "status": status_manifest(status),
    }
    answer = await client.patch(paths.gang_status(gang.key), body)
    if answer.is_success:
        state.apply_gang(parse_gang(answer.body, gang))
        return Written.DONE
    if answer.code == _CONFLICT:
        newer = await client.get(paths.gang(gang.key))
        if newer.is_success:
            state.apply_gang(parse_gang(newer.body, gang))
        return Written.CONFLICT
    return Written.GONE if answer.code == _NOT_FOUND else Written.REFUSED


def status_manifest(status: GangStatus) -> dict[str, Any]:
    """The status as a merge patch: what does not apply is null, so that nothing of an earlier one stays."""
    return {
        "conditions": [
            {
                "type": one.type,
                "status": one.status,
                "reason": one.reason,
                "message": one.message,
                "observedGeneration": one.observed_generation,
                "lastTransitionTime": rfc3339(one.last_transition),
            }
            for one in status.conditions
        ],
        "attempt": status.attempt,
        "size": status.size,
        "start": _time(status.start),
        "expectedFinish": _time(status.expected_finish),
        "effectiveSpeedup": status.effective_speedup,
        "members": [_entry(members) for members in status.members] or None,
        "reservedAt": _time(status.reserved_at),
        "firstPlannedStart": _time(status.first_planned_start),
        "startedAt": _time(status.started_at),
        "finishedAt": _time(status.finished_at),
    }


def _entry(members: Members) -> dict[str, Any]:
    """One entry of the list of members, with a share or pieces only where the load has them."""
    entry: dict[str, Any] = {"node": members.node, "count": members.size}
    if members.share is not None:
        entry["share"] = members.share
    if members.pieces is not None:
        entry["pieces"] = members.pieces
    return entry


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else rfc3339(seconds)
