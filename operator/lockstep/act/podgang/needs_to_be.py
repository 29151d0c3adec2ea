"""Finds out with dry runs what the pods of a suspended owner will need."""

from coschedule import GangKey
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.any_pod import parse_any_pod
from lockstep.api.podgang.sizing.sized_kind import SizedKind
from lockstep.belief.podgangs.own_pods import PodsAlike, SizedPods
from lockstep.belief.podgangs.pod_group import alone
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import GroupedPod


async def learn_needs(client: KubeClient, state: State, kind: SizedKind, owner: Manifest) -> str:
    """Record what the pods of an owner need. Returns why they would be refused, as a clause, or ''.

    Raises ``ApiUnavailableError``, and another error for a pod that can't be understood.
    """
    sized = kind.parse(owner)
    pods = await pods_to_be(client, state, kind, owner)
    if isinstance(pods, str):
        return pods
    state.pod_gang_facts.learn_coming_pods(sized, pods)
    return ""


async def pods_to_be(client: KubeClient, state: State, kind: SizedKind, owner: Manifest) -> SizedPods | str:
    """The pods of an owner after it gets its size; a clause if they would be refused.

    Raises ``ApiUnavailableError``, and another error for a pod that can't be understood.
    """
    sized = kind.parse(owner)
    varying = await needs_of_pod(client, state, sized.gang, kind.pod(owner))
    first = None if kind.first_pod is None else await needs_of_pod(client, state, sized.gang, kind.first_pod(owner))
    if isinstance(varying, str):
        return varying
    if isinstance(first, str):
        return first
    return SizedPods(varying, () if first is None else (first,), sized.sizes)


async def needs_of_pod(client: KubeClient, state: State, gang: GangKey, pod: Manifest) -> PodsAlike | str:
    """The needs of that pod of a Gang; a clause if the pod would be refused. Raises ``ApiUnavailableError``."""
    answer = await client.dry_run(paths.pods_to_be(gang.namespace), pod)
    if not answer.is_success:
        return f"the API server refuses its pods: {answer.message.rstrip('.')}"
    # An object from a dry run has no version.
    fact = parse_any_pod({**answer.body, "metadata": {"resourceVersion": "", **answer.body["metadata"]}}, state.sources)
    alike = alone(fact) if isinstance(fact, GroupedPod) and fact.group.gang == gang else None
    return "its pods have scheduling gates or a node, or belong to another Gang" if alike is None else alike
