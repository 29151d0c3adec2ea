"""Decides whether the leader of a LeaderWorkerSet's group must be evicted, so that the whole group is created anew.

The leader owns the workers, and its eviction deletes them first. So the whole group is deleted, however soon the leader
is gone. No worker is evicted itself: the controller would not notice the eviction of a worker without a node.
"""

from coschedule import GangKey
from lockstep.act.evicting.permit import EvictedPod, EvictionDecision
from lockstep.api.client import paths
from lockstep.api.client.answer import exists
from lockstep.api.client.client import KubeClient
from lockstep.api.evictions.group_restart import is_leader, leader_of, why_not_remade
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.kueue import is_queued
from lockstep.api.podgang.owners import OWNERS
from lockstep.belief.state import State
from lockstep.facts.gang.source import Source

_SETS = OWNERS[Source.LEADER_WORKER_SET]


async def leader_to_evict(client: KubeClient, state: State, gang: GangKey, named: str) -> EvictionDecision | str:
    """The leader of the group, or a clause that says why it stays. ``named`` is the set and the number of its group.

    Raises ``ApiUnavailableError``, and another error for a set that can't be understood.
    """
    answer = await client.get(_SETS.target(gang.namespace, named))
    if not answer.is_success:
        return f"its {_SETS.kind} can't be read: {answer.message}"
    group = state.pod_gangs.group(gang)
    why_not = _why_not(answer.body) or why_not_remade(answer.body, has_waiting=group.waiting > 0)
    if why_not:
        return why_not
    return await _leader(client, state, gang, named)


def _why_not(found: Manifest) -> str:
    if "deletionTimestamp" in found["metadata"]:
        return "it is being deleted"
    return "Kueue has queued it" if is_queued(found) else ""


async def _leader(client: KubeClient, state: State, gang: GangKey, named: str) -> EvictionDecision | str:
    key = leader_of(gang.namespace, named)
    known, answer = state.pod_gangs.group(gang).pods.get(key), await client.get(paths.pod(key))
    if known is None or not exists(answer, f"pod {key.name}") or answer.body["metadata"]["uid"] != known.uid:
        return f"the leader of its group, pod {key.name}, is not there"
    if not is_leader(answer.body, named):
        return f"pod {key.name} is not the leader of its group"
    recreates = f"and its {_SETS.kind} creates the whole group again"
    if "deletionTimestamp" in answer.body["metadata"]:
        return EvictionDecision((), f"pod {key.name} is being deleted, {recreates}")
    evicted = EvictedPod(key, known.uid)
    return EvictionDecision((evicted,), f"pod {key.name} was evicted, {recreates}", with_owned=True)
