"""Writes the whole status of a gang in one request, and only over the version from which it was computed."""

from enum import Enum, auto
from typing import NamedTuple, assert_never

from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency
from lockstep.api.gangjob.gangjob import status_manifest, summary_manifest
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.status import GangStatus
from lockstep.report.status.summary import summary_of
from lockstep.watch.kinds import kind_of
from lockstep.watch.reader import Reader


class Written(Enum):
    """The result of a write.

    ``CONFLICT``: the gang had changed, and the cache now has the newer version. ``GONE``: the gang is gone.
    ``REFUSED``: the same write would be refused again.
    """

    DONE = auto()
    CONFLICT = auto()
    GONE = auto()
    REFUSED = auto()

    @property
    def is_final(self) -> bool:
        """Whether there is nothing more to write: the status is written, or the gang is gone."""
        match self:
            case Written.DONE | Written.GONE:
                return True
            case Written.CONFLICT | Written.REFUSED:
                return False
            case _:
                assert_never(self)


class Writing(NamedTuple):
    """The result of a write, and the API server's message if it was refused."""

    written: Written
    message: str = ""


async def write_status(
    client: KubeClient, state: State, gang: GangFact, status: GangStatus, urgency: Urgency = Urgency.ACT
) -> Writing:
    """Write the status if the gang is still at the version of ``gang``, and apply the answer to the cache.

    If the gang was deleted or replaced before the answer came, the answer is not applied.

    After a conflict, or if the gang seems to be gone, it is read again. So the caller can compute the status again, and
    the cache keeps no gang that is gone. Raises ``ApiUnavailableError``. Then the write may still have happened. In
    this case, the next write gets a conflict.
    """
    body = {
        "metadata": {"resourceVersion": gang.resource_version, "uid": gang.uid},
        "status": {**status_manifest(status), **summary_manifest(summary_of(gang, status))},
    }
    answer = await client.patch(paths.gang_status(gang.key), body, urgency)
    if answer.is_success:
        if not _is_known(state, gang):
            return Writing(Written.GONE, "it was deleted while its status was being written")
        kind_of(state, gang.key).accept(answer.body)
        return Writing(Written.DONE)
    if not answer.is_gone_or_changed:
        return Writing(Written.REFUSED, answer.message)
    if not await _read_again(client, state, gang):
        return Writing(Written.GONE, answer.message)
    return Writing(Written.CONFLICT if _has_moved_on(state, gang) else Written.REFUSED, answer.message)


async def _read_again(client: KubeClient, state: State, gang: GangFact) -> bool:
    """Read the gang again, and apply the answer to the cache. Returns whether the gang still exists."""
    was_known = _is_known(state, gang)
    answer = await client.get(paths.gang(gang.key))
    if answer.is_success and _is_known(state, gang) == was_known:
        await Reader(kind_of(state, gang.key)).accept(answer.body)
    elif answer.is_absence:
        remove = state.pod_gang_facts.remove if is_pod_gang(gang.key) else state.remove_gang
        remove(gang.key, gang.uid)
    return _is_known(state, gang)


def _is_known(state: State, gang: GangFact) -> bool:
    known = state.gangs.get(gang.key)
    return known is not None and known.uid == gang.uid


def _has_moved_on(state: State, gang: GangFact) -> bool:
    """Whether the cache now has another version of the gang, from which a new status can be computed."""
    return state.gangs[gang.key].resource_version != gang.resource_version
