"""Sends evictions of other controllers' pods. No other code sends them."""

from lockstep.act.evicting.permit import EvictedPod, EvictionPermit
from lockstep.act.requests.concurrent import for_each
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency
from lockstep.api.evictions.eviction import eviction_manifest, why_not_evicted
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason


async def evict(client: KubeClient, permit: EvictionPermit) -> str:
    """Evict the pods of a permit. Returns why one of them stays, as a clause, or ''.

    After a refusal no more evictions are sent.
    """
    decision = permit.decision

    async def send(pod: EvictedPod) -> Failure | None:
        manifest = eviction_manifest(pod.key, pod.uid, with_owned=decision.with_owned)
        why = why_not_evicted(await client.create(paths.pod_eviction(pod.key), manifest, Urgency.DELETE))
        message = f"pod {pod.key.name} can't be evicted: {why}"
        return Failure(reason=Reason.API_UNAVAILABLE, message=message) if why else None

    failure = await for_each(sorted(decision.pods), send)
    return "" if failure is None else failure.message
