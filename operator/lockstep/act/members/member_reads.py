"""Lists the members of an attempt from the API server, in case the watch is broken."""

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.names import ATTEMPT_LABEL, GANG_LABEL
from lockstep.api.unreadable.unreadable_objects import read_pod
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.pod import PodFact
from lockstep.watch.pages import ListError, pages
from lockstep.watch.reader import ReadingTurns


async def list_members(client: KubeClient, gang: GangFact, attempt: int) -> list[PodFact]:
    """The pods of one attempt that the API server has now. Raises ``ApiUnavailableError``.

    A request whose answer was lost may have created a pod that no watch has shown.
    """
    selector = f"{GANG_LABEL}={gang.key.name},{ATTEMPT_LABEL}={attempt}"
    turns, pods = ReadingTurns(), []
    try:
        async for page in pages(client, paths.pods_of(gang.key.namespace), selector=selector):
            pods += [await turns.read(read_pod, item) for item in page["items"] or ()]
    except ListError as error:
        raise ApiUnavailableError(f"the pods of {gang.key.name} can't be listed: {error}") from error
    return [pod for pod in pods if pod.member is not None and pod.member.gang_uid == gang.uid]


async def refresh_members(client: KubeClient, state: State, gang: GangFact, attempt: int) -> list[PodFact]:
    """List the pods of one attempt and update the cache; returns those that exist. Raises ``ApiUnavailableError``.

    The watch may be ahead of the list, so newer states in the cache stay. A pod that the watch removed meanwhile is not
    added again, because nothing would ever remove it. If a user has changed the labels of a pod, no list has it. Such a
    pod exists until the watch shows its end.
    """
    before = cached_members(state, gang, attempt)
    with state.counts.roster.collecting_removed() as gone:
        pods = await list_members(client, gang, attempt)
    for pod in pods:
        known = state.pods.get(pod.key)
        if pod.uid not in gone and (known is None or (known.uid == pod.uid and is_further(pod, known))):
            state.apply_pod(pod)
    there = {pod.uid for pod in pods}
    for pod in before:
        known = state.pods.get(pod.key)
        if pod.uid not in there and known is not None and known.uid == pod.uid:
            if _is_listed(known, gang):
                # The pod was known before the list began, so the list would have it if it still existed.
                state.remove_pod(pod.key, pod.uid)
            else:
                pods.append(known)
    return pods


def _is_listed(pod: PodFact, gang: GangFact) -> bool:
    """Whether lists of the gang's pods have the pod, if it exists."""
    return (GANG_LABEL, gang.key.name) in pod.labels


def is_further(pod: PodFact, known: PodFact) -> bool:
    """Whether the pod is at a later stage than the cache knows. A pod never goes back to an earlier stage."""
    stages, known_stages = _stages(pod), _stages(known)
    return stages != known_stages and all(one >= other for one, other in zip(stages, known_stages, strict=True))


def _stages(pod: PodFact) -> tuple[bool, bool, bool, bool]:
    has_run = pod.has_ended or pod.phase == "Running"
    return bool(pod.node), has_run, pod.has_ended, pod.is_deleting


def cached_members(state: State, gang: GangFact, attempt: int) -> list[PodFact]:
    """The pods of one attempt in the cache."""
    return [pod for pod in state.members(gang).values() if pod.member is not None and pod.member.attempt == attempt]
