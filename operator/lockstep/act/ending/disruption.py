"""Reports that pods are evicted for a more urgent gang, with the same condition as kube-scheduler."""

import logging
from collections.abc import Iterable

from lockstep.act.requests.api_refusals import is_pod_gone_or_changed
from lockstep.act.requests.concurrent import for_each
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.members.disruption import disruption_manifest
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import PodFact
from lockstep.facts.reasons import Reason

log = logging.getLogger(__name__)


async def report_disruption(client: KubeClient, pods: Iterable[PodFact], why: str, now: float) -> None:
    """Set the condition ``DisruptionTarget`` on these pods. If that fails, the pods are still evicted."""

    async def report(pod: PodFact) -> Failure | None:
        answer = await client.patch_entries(paths.pod_status(pod.key), disruption_manifest(pod.uid, why, now))
        if answer.is_success or is_pod_gone_or_changed(answer):
            return None
        return Failure(reason=Reason.API_UNAVAILABLE, message=answer.message)

    refusal = await for_each([pod for pod in pods if not pod.has_ended], report)
    if refusal is not None:
        log.warning("pods are evicted without the condition DisruptionTarget: %s", refusal.message)
