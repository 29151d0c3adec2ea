"""Decides whether all bound pods of a Gang must be evicted because its user has written ``undo: Evict``."""

from coschedule import GangKey
from lockstep.act.evicting.permit import EvictedPod, EvictionDecision
from lockstep.api.client.client import KubeClient
from lockstep.api.evictions.job_failures import counts_evictions
from lockstep.api.podgang.kueue import is_queued
from lockstep.api.podgang.owners import OWNERS
from lockstep.belief.state import State
from lockstep.facts.gang.source import Source
from lockstep.report.text.sentences import n_pods

# Each Job is read again at each try.
_MOST_JOBS = 100


async def pods_to_evict(client: KubeClient, state: State, gang: GangKey) -> EvictionDecision | str:
    """The bound pods of the Gang, or a clause that says why they stay. For example, a Job would count them as failed.

    Raises ``ApiUnavailableError``, and another error for a Job that can't be understood.
    """
    pods = list(state.pod_gangs.group(gang).going_pods())
    if not pods:
        return "its pods on nodes are already gone"
    jobs = sorted({pod.group.job for pod in pods} - {""})
    if len(jobs) > _MOST_JOBS:
        return f"its undo is Evict, but its pods belong to {len(jobs)} Jobs, and Lockstep checks at most {_MOST_JOBS}"
    for job in jobs:
        why_not = await _why_not(client, gang.namespace, job)
        if why_not:
            return why_not
    effect = f"its undo is Evict, so Lockstep has evicted {n_pods(len(pods))} from nodes"
    return EvictionDecision([EvictedPod(pod.key, pod.uid) for pod in pods], effect)


async def _why_not(client: KubeClient, namespace: str, job: str) -> str:
    answer = await client.get(OWNERS[Source.JOB].target(namespace, job))
    if answer.is_absence:
        return ""
    if not answer.is_success:
        return f"Job {job} can't be read: {answer.message}"
    if is_queued(answer.body):
        return f"Kueue has queued Job {job}"
    if counts_evictions(answer.body):
        return (
            f"its undo is Evict, but Job {job} would count evicted pods as failed. Write a rule with the action Ignore "
            "for DisruptionTarget at the top of its podFailurePolicy"
        )
    return ""
