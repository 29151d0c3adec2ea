"""Reads the pods of a Gang from the API server, in case the watch is broken."""

from functools import partial

from coschedule import GangKey
from lockstep.act.members.member_reads import is_further
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError, exists
from lockstep.api.client.client import KubeClient
from lockstep.api.names import MEMBER_OF_LABEL
from lockstep.api.unreadable.unreadable_objects import read_pod
from lockstep.belief.state import State
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.gang.source import maker_of
from lockstep.facts.pods.pod import PodFact, PodKey
from lockstep.watch.pages import ListError, pages
from lockstep.watch.reader import ReadingTurns


async def refresh_pods(client: KubeClient, state: State, gang: GangKey) -> None:
    """Read the pods of a Gang and update the cache. Raises ``ApiUnavailableError``.

    The watch may be ahead of the answer, so newer states in the cache stay. Only pods in the cache are updated: a pod
    that the watch has removed meanwhile would never be removed again.
    """
    known_pods = [*state.pod_gangs.group(gang).pods]
    is_one = len(known_pods) == 1
    for pod in await (_read_pod(client, state, known_pods[0]) if is_one else _list_pods(client, state, gang)):
        known = state.pods.get(pod.key)
        is_of_gang = isinstance(pod, GroupedPod) and pod.group.gang == gang
        if is_of_gang and known is not None and known.uid == pod.uid and is_further(pod, known):
            state.apply_pod(pod)


async def _read_pod(client: KubeClient, state: State, key: PodKey) -> list[PodFact]:
    """The only known pod of a Gang, if it still exists. Raises ``ApiUnavailableError``."""
    answer = await client.get(paths.pod(key))
    return [read_pod(answer.body, state.sources)] if exists(answer, f"pod {key.name}") else []


async def _list_pods(client: KubeClient, state: State, gang: GangKey) -> list[PodFact]:
    """The pods that may belong to a Gang. If pods do not name their Gang in a label, the whole namespace is listed."""
    turns, pods = ReadingTurns(), []
    selector = "" if maker_of(object_name(gang)) else f"{MEMBER_OF_LABEL}={object_name(gang)}"
    read = partial(read_pod, sources=state.sources)
    try:
        async for page in pages(client, paths.pods_of(gang.namespace), selector=selector):
            pods += [await turns.read(read, item) for item in page["items"] or ()]
    except ListError as error:
        raise ApiUnavailableError(f"the pods of {object_name(gang)} can't be listed: {error}") from error
    return pods
