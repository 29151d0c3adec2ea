"""Finds out by dry runs what the pods of a suspended owner need, before it has any."""

from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.any_pod import parse_any_pod
from lockstep.api.podgang.sizing.sized_kind import SizedKind
from lockstep.belief.podgangs.pod_group import PodsAlike, SizedPods, alone
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.gang.sized_owner import SizedOwner


async def learn_needs(client: KubeClient, state: State, kind: SizedKind, owner: Manifest) -> str:
    """Record what the pods of an owner need; returns why they would be refused, as a clause, or ''.

    Raises ``ApiUnavailableError``, and an error for a pod that can't be understood.
    """
    sized = kind.parse(owner)
    varying = await _tried(client, state, sized, kind.pod(owner))
    first = None if kind.first_pod is None else await _tried(client, state, sized, kind.first_pod(owner))
    if isinstance(varying, str):
        return varying
    if isinstance(first, str):
        return first
    state.pod_gang_facts.learn_coming_pods(sized, SizedPods(varying, first, sized.sizes))
    return ""


async def _tried(client: KubeClient, state: State, owner: SizedOwner, pod: Manifest) -> PodsAlike | str:
    """What that pod needs; or why it would be refused."""
    answer = await client.dry_run(paths.pods_to_be(owner.gang.namespace), pod)
    if not answer.is_success:
        return f"the API server refuses its pods: {answer.message.rstrip('.')}"
    # An object from a dry run has no version.
    fact = parse_any_pod({**answer.body, "metadata": {"resourceVersion": "", **answer.body["metadata"]}}, state.sources)
    alike = alone(fact) if isinstance(fact, GroupedPod) and fact.group.gang == owner.gang else None
    return "its pods have scheduling gates or a node, or belong to another Gang" if alike is None else alike
