"""Finds lost nodes. No kubelet can report or end the pods of such a node."""

import asyncio
from collections.abc import Callable
from math import ceil

from coschedule import GangKey
from lockstep.belief.pods.pod_effects import takes_room
from lockstep.belief.state import State
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.pods.pod import PodFact

OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
_UNREACHABLE = "node.kubernetes.io/unreachable"
# In seconds, as long as Kubernetes' pod garbage collector waits: a node that is gone may soon be registered again.
_GONE_SECONDS = 40.0


class LostNodes:
    """Records since when nodes are unreachable, by a monotonic clock.

    A node with the out-of-service taint is lost at once. A node that is gone is lost after 40 s, or after
    ``unreachable_after`` seconds if that is shorter. A node that is not ready, or has the taint of unreachable nodes,
    is lost after ``unreachable_after`` seconds.
    """

    def __init__(self, state: State, *, unreachable_after: float, monotonic: Callable[[], float]) -> None:
        self._state = state
        self._unreachable_after = unreachable_after
        self._gone_after = min(_GONE_SECONDS, unreachable_after)
        self._monotonic = monotonic
        self._seen = -1
        self._present: set[str] = set()
        self._gone: dict[str, float] = {}
        self._unreachable: dict[str, float] = {}
        self._is_any_out_of_service = False
        self._timers: set[asyncio.TimerHandle] = set()

    def update(self) -> None:
        """Read changed nodes. Gangs with members on a node are reconciled when that node is lost."""
        if self._state.nodes.generation == self._seen:
            return
        self._seen = self._state.nodes.generation
        now, nodes = self._monotonic(), self._state.nodes
        away = {name for name, node in nodes.items() if _is_unreachable(node)}
        gone = self._present - nodes.keys()
        out_of_service = any(_is_out_of_service(node) for node in nodes.values())
        self._is_any_out_of_service = out_of_service
        if away - self._unreachable.keys():
            self._check_in(self._unreachable_after)
        if gone - self._gone.keys():
            self._check_in(self._gone_after)
        if out_of_service:
            self._check_in(0.0)
        self._unreachable = {name: self._unreachable.get(name, now) for name in away}
        recent = {name: since for name, since in self._gone.items() if name not in nodes and now - since < 3600}
        self._gone = {**dict.fromkeys(gone, now), **recent}
        self._present = set(nodes)

    @property
    def are_possible(self) -> bool:
        """Whether a node may be lost now: any node is gone, unreachable or out of service."""
        return bool(self._gone or self._unreachable or self._is_any_out_of_service)

    def why_lost(self, name: str) -> str | None:
        """Why that node counts as lost, as a clause after its name; ``None`` if it does not."""
        node = self._state.nodes.get(name)
        if node is None:
            return "is gone" if self._is_over(self._gone_since(name), self._gone_after) else None
        if _is_out_of_service(node):
            return "is out of service"
        unreachable_since = self._unreachable.get(name)
        if unreachable_since is None or not self._is_over(unreachable_since, self._unreachable_after):
            return None
        return "cannot be reached"

    def stop(self) -> None:
        """Cancel all timers."""
        for timer in self._timers:
            timer.cancel()

    def _gone_since(self, name: str) -> float:
        """When the node went; a node that was never seen, or went long ago, counts as gone since the first call."""
        if name not in self._gone:
            self._gone[name] = self._monotonic()
            self._check_in(self._gone_after)
        return self._gone[name]

    def _is_over(self, since: float, seconds: float) -> bool:
        return self._monotonic() - since >= seconds

    def _check_in(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        # The timer is a little late, so that the clock shows the full time despite its resolution. One check serves all
        # nodes that are lost in the same tenth of a second, since it reads all pods.
        at = ceil((loop.time() + seconds + 0.01) * 10) / 10
        self._timers = {known for known in self._timers if known.when() > loop.time()}
        if all(known.when() != at for known in self._timers):
            self._timers.add(loop.call_at(at, self._check))

    def _check(self) -> None:
        """Reconcile every gang with a member on a lost node."""
        lost: dict[str, bool] = {}
        for pod in list(self._state.pods.values()):
            gang = _gang_of(pod)
            if gang is not None and pod.node and not pod.has_ended:
                if pod.node not in lost:
                    lost[pod.node] = self.why_lost(pod.node) is not None
                if lost[pod.node]:
                    self._state.changes.reconcile(gang)


def _gang_of(pod: PodFact) -> GangKey | None:
    """The GangJob or the Gang of a pod."""
    if isinstance(pod, GroupedPod):
        return pod.group.gang
    return None if pod.member is None else pod.member.gang


def counts_as_gone(pod: PodFact, lost_nodes: LostNodes) -> bool:
    """Whether later attempts treat the pod as gone, though the API server still has it.

    Only a pod that is being deleted counts as gone. Either the pod takes no room: it has ended or has no node, and a
    finalizer keeps it. Or its node is lost, so no kubelet can report its end. Then its room stays taken.
    """
    return pod.is_deleting and (not takes_room(pod) or lost_nodes.why_lost(pod.node) is not None)


def _is_unreachable(node: NodeFact) -> bool:
    return not node.is_ready or any(taint.key == _UNREACHABLE for taint in node.taints)


def _is_out_of_service(node: NodeFact) -> bool:
    return any(taint.key == OUT_OF_SERVICE for taint in node.taints)
