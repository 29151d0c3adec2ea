"""Adds a supposed Gang and its pods to the facts of a cluster. Nothing is created."""

from typing import NoReturn

from lockstep.answers.reading.dry_run import dry_run_of, there_already
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.supposed_gangs import SupposedGang
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.podgang.pod_gang import parse_pod_gang
from lockstep.belief.state import State
from lockstep.facts.gang.keys import object_name


async def suppose_gang(client: KubeClient, state: State, gang: SupposedGang) -> None:
    """Add the Gang and its pods to ``state``. A Gang that a user has written is sent as a dry run.

    Raises ``AnswerError``.
    """
    known = state.pod_gangs.objects.get(gang.key)
    if gang.manifest is not None:
        target = paths.pod_gangs_of(gang.key.namespace)
        state.pod_gang_facts.apply(parse_pod_gang(await dry_run_of(client, target, gang.manifest, gang.key)))
    elif known is not None and gang.made is not None and known.made_for is not None:
        raise AnswerError(there_already(gang.key))
    elif known is None:
        state.pod_gang_facts.apply(parse_pod_gang(gang.made or _missing(gang)))
    for pod in gang.pods:
        if pod.key in state.pods:
            raise AnswerError(f"Pod {pod.key.namespace}/{pod.key.name} exists already.")
        state.apply_pod(pod)
    if gang.size is not None and gang.size.pods is not None:
        state.pod_gang_facts.apply_owner(gang.size.owner)
        state.pod_gang_facts.learn_coming_pods(gang.size.owner, gang.size.pods)
    state.pod_gang_facts.renew(gang.key)


def _missing(gang: SupposedGang) -> NoReturn:
    raise AnswerError(
        f"{gang.named_by} names the Gang {object_name(gang.key)}, which is neither in the file nor in the cluster."
    )
