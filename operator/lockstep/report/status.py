"""Writing a GangJob's status: whole, in one request, and only over the version it was computed from."""

from enum import Enum, auto
from typing import Any, NamedTuple

from lockstep import paths
from lockstep.facts import GangFact, GangStatus, Members
from lockstep.kube import KubeClient
from lockstep.state import State
from lockstep.turns import Urgency
from lockstep.watch.own_kinds import apply_gang
from lockstep.watch.quantities import rfc3339

_NOT_FOUND = 404
_CONFLICT = 409


class Written(Enum):
    """What became of a write.

    ``CONFLICT``: the gang had changed, and the newer version is believed now. ``REFUSED``: trying the same again would
    end in the same.
    """

    DONE = auto()
    CONFLICT = auto()
    GONE = auto()
    REFUSED = auto()


class Writing(NamedTuple):
    """What became of a write, and the API server's own sentence where it did not want it."""

    written: Written
    message: str = ""


async def write_status(
    client: KubeClient, state: State, gang: GangFact, status: GangStatus, urgency: Urgency = Urgency.ACT
) -> Writing:
    """Write the status if the gang is still the version that ``gang`` is, and believe the answer.

    After a conflict, or where there seems to be no such gang, it is read and believed, so that whoever asked can
    compute again and nobody goes on believing in a gang that is gone. Raises ``ApiUnavailableError``; the write may
    then have happened, which the next one finds out by a conflict.
    """
    body = {
        "metadata": {"resourceVersion": gang.resource_version, "uid": gang.uid},
        "status": status_manifest(status),
    }
    answer = await client.patch(paths.gang_status(gang.key), body, urgency)
    if answer.is_success:
        apply_gang(state, answer.body)
        return Writing(Written.DONE)
    if answer.code not in (_CONFLICT, _NOT_FOUND):
        return Writing(Written.REFUSED, answer.message)
    if not await _read_again(client, state, gang):
        return Writing(Written.GONE, answer.message)
    return Writing(Written.CONFLICT if _has_moved_on(state, gang) else Written.REFUSED, answer.message)


async def _read_again(client: KubeClient, state: State, gang: GangFact) -> bool:
    """Believe what the API server says of that gang now; returns whether it is there still."""
    answer = await client.get(paths.gang(gang.key))
    if answer.is_success:
        apply_gang(state, answer.body)
    elif answer.code == _NOT_FOUND:
        state.remove_gang(gang.key, gang.uid)
    known = state.gangs.get(gang.key)
    return known is not None and known.uid == gang.uid


def _has_moved_on(state: State, gang: GangFact) -> bool:
    """Whether a newer version than that is known by now: then there is something new to compute from."""
    return state.gangs[gang.key].resource_version != gang.resource_version


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
        "succeededRanks": status.succeeded_ranks or None,
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
