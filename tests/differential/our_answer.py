"""What the operator answers, by its own code alone: from the API server's objects to a plan."""

from time import time
from typing import Any

from coschedule import Placement, plan
from differential.cluster import PROBES
from differential.draft import Manifest
from lockstep.api.client.client import KubeClient
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.belief.state import State
from lockstep.belief.volumes.claim_problems import claim_refusal
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.watch.kind import WatchedKind
from lockstep.watch.kubernetes_kinds import WATCHED

# What a scheduler writes into a pod, and what names the scheduler.
NOT_OF_A_TEMPLATE = ("nodeName", "schedulerName")


class Belief:
    """What the operator believes of a cluster."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._cutter = SnapshotCutter(state)

    def answer(self, template: Manifest) -> str:
        """Why a gang of one such member is not placed now; nothing where it is."""
        metadata = {"namespace": PROBES, "name": "probe", "uid": "probe", "resourceVersion": "1", "generation": 1}
        manifest = {
            "metadata": {**metadata, "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"size": {"min": 1, "max": 1}, "template": template},
        }
        gang = parse_gang(manifest, None)
        refusal = gang.refusal or claim_refusal(self._state.claims, gang)
        if refusal is not None:
            return refusal.message
        now = time()
        [decision] = plan(self._cutter.cut(now, [gang])).decisions
        if isinstance(decision, Placement):
            return "" if decision.start <= now else f"starts in {decision.start - now} s"
        return format_refusal(decision.refusal)


async def belief_of(client: KubeClient) -> Belief:
    """List everything that the operator watches."""
    state = State(lambda: None)
    for make_kind in WATCHED:
        await _list(client, make_kind(state))
    return Belief(state)


async def _list(client: KubeClient, kind: WatchedKind[Any]) -> None:
    for manifest in (await client.get(kind.target)).body["items"]:
        kind.accept(manifest)


def as_template(pod: Manifest) -> Manifest:
    """A pod as admission has made it, as a template."""
    spec = {name: value for name, value in pod["spec"].items() if name not in NOT_OF_A_TEMPLATE}
    return {"metadata": {"labels": pod["metadata"].get("labels", {})}, "spec": spec}
