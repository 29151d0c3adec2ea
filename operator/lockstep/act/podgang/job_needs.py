"""Finds out by a dry run what the pods of a suspended Job need, before it has any."""

from coschedule import GangKey
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.any_pod import parse_any_pod
from lockstep.api.podgang.sized_job import pod_of_job
from lockstep.belief.podgangs.pod_group import alone
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import GroupedPod


async def learn_needs(client: KubeClient, state: State, gang: GangKey, job: Manifest) -> str:
    """Record what the pods of a Job need; returns why they would be refused, as a clause, or ''.

    Raises ``ApiUnavailableError``, and an error for a pod that can't be understood.
    """
    answer = await client.dry_run(paths.pods_to_be(gang.namespace), pod_of_job(job))
    if not answer.is_success:
        return f"the API server refuses its pods: {answer.message.rstrip('.')}"
    # An object from a dry run has no version.
    pod = parse_any_pod({**answer.body, "metadata": {"resourceVersion": "", **answer.body["metadata"]}}, state.sources)
    alike = alone(pod) if isinstance(pod, GroupedPod) and pod.group.gang == gang else None
    if alike is None:
        return "its pods have scheduling gates or a node, or belong to another Gang"
    state.learn_sized_job(gang, job["metadata"]["uid"], job["metadata"]["resourceVersion"], alike)
    return ""
