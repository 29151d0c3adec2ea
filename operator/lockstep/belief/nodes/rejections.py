"""Gangs whose members kubelets reject: after the same reason on three nodes, a gang is refused.

A kubelet rejects a pod for a reason in the pod or in the node. So a refusal does not end because time passes, or
because a dry run succeeds. A refused gang is planned again if its spec has changed, or if a suitable node is new or has
changed. It is also planned again if pods are gone from a node that rejected it. If a node then rejects the gang a
second time, the gang avoids the node until the node changes. The second rejection does not count towards a refusal.

Life of a record::

    rejected on one or two nodes ──on a third──► refused ──a node changes──► planned again ──on three others──► refused

A new process continues from the status (``resume``).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from coschedule import GangKey
from lockstep.belief.nodes.failed_nodes import AVOID_SECONDS
from lockstep.belief.nodes.node_index import Names
from lockstep.belief.nodes.suitable_nodes import Suiting
from lockstep.facts.gang.gang import GangFact, Refusal
from lockstep.facts.gang.rejection import MOST_NODES, Rejected
from lockstep.facts.pods.failure import LostOn
from lockstep.facts.reasons import Condition, Reason

ENOUGH_NODES = 3
"""On this many nodes, the same reason is no accident of one node."""

# If a reason begins with this word, the kubelet lacks a resource: other pods took the resource first, or something took
# it that no watch shows. The lack passes by itself, so the pause between attempts is enough.
_LACKS = "OutOf"
_LONGEST_REASON = 128
_LONGEST_WORDS = 1000


@dataclass(slots=True, kw_only=True)
class _Record:
    """The rejections of one gang, for one generation of its spec.

    ``counted`` has the kubelets' messages by reason and node, since the last refusal ended. ``earlier`` are the nodes
    that rejected the gang before that end, and ``barred`` those that rejected it twice. ``roomier`` are nodes that
    rejected it, and that other pods have left since the refusal.
    """

    gang: GangKey
    generation: int
    counted: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    earlier: set[str] = field(default_factory=set)
    barred: set[str] = field(default_factory=set)
    refusal: Refusal | None = None
    rejected: Rejected | None = None
    refused_at: float = 0.0
    roomier: set[str] = field(default_factory=set)

    def rejects(self, node: str) -> bool:
        """Whether that node is known to reject the gang."""
        return node in self.earlier or any(node in nodes for nodes in self.counted.values())

    def clear(self, node: str) -> None:
        """Forget all rejections by a node that has changed."""
        self.earlier.discard(node)
        self.barred.discard(node)
        for nodes in self.counted.values():
            nodes.pop(node, None)

    def lift(self) -> None:
        """End the refusal, so that the gang is planned again. Rejections by unchanged nodes are still remembered."""
        self.earlier |= {node for nodes in self.counted.values() for node in nodes}
        self.counted.clear()
        self.refusal = self.rejected = None
        self.roomier.clear()


class Rejections:
    """Rejections by the UID of the gang, for its current spec. ``changed`` is called when a gang is planned again.

    A gang has entries only for nodes that a plan gave it.
    """

    def __init__(self, changed: Callable[[GangKey], None]) -> None:
        self._changed = changed
        self._by_uid: dict[str, _Record] = {}

    def record(self, gang: GangFact, lost_on: Iterable[LostOn], nodes: Suiting, now: float) -> None:
        """Record the rejections among these losses, except those for a lack of resources; ``nodes`` are all nodes."""
        rejecting = [one for one in lost_on if one.rejected_for and not one.rejected_for.startswith(_LACKS)]
        if not rejecting:
            return
        record = self._record(gang)
        for one in rejecting:
            if one.node in record.earlier:
                record.barred.add(one.node)
            else:
                record.counted[one.rejected_for[:_LONGEST_REASON]][one.node] = one.message
        if record.refusal is None:
            self._refuse(record, gang, nodes, now)

    def resume(self, gang: GangFact, nodes: Suiting, now: float) -> None:
        """Restore the refusal from the gang's status, unless suitable nodes have changed since."""
        refusal = None if gang.uid in self._by_uid else self.refusal(gang)
        if refusal is None:
            return
        record, rejected = self._record(gang), gang.status.rejected
        record.refusal, record.rejected, record.refused_at = refusal, rejected, now
        if rejected is not None:
            record.counted[rejected.reason] = dict.fromkeys(rejected.nodes, "")
        if rejected is None or rejected.suiting != nodes.digest(gang):
            self._lift(record)

    def refusal(self, gang: GangFact) -> Refusal | None:
        """Why rejections have refused the gang, by this record or else by its status; None if they have not."""
        record = self._by_uid.get(gang.uid)
        if record is None or record.generation != gang.generation:
            return _refusal_in_status(gang)
        return record.refusal

    def rejected(self, gang: GangFact) -> Rejected | None:
        """The rejections that the status of a refused gang must keep; None if there is no such refusal."""
        record = self._by_uid.get(gang.uid)
        return None if record is None or record.generation != gang.generation else record.rejected

    def barred(self, gang: GangFact) -> Names:
        """The nodes that the gang avoids, since they rejected it and have not changed."""
        record = self._by_uid.get(gang.uid)
        return frozenset() if record is None or record.generation != gang.generation else frozenset(record.barred)

    def record_changed(self, node: str, suits: Suiting, gangs: Mapping[GangKey, GangFact]) -> None:
        """Forget rejections by a node that is new or has changed.

        Refused gangs for which the node is suitable are planned again. ``suits`` has only that node.
        """
        for record in self._by_uid.values():
            record.clear(node)
            gang = gangs.get(record.gang)
            if record.refusal is not None and gang is not None and suits.any_suits(gang):
                self._lift(record)

    def record_removed(self, node: str) -> None:
        """Forget rejections by a node that is gone: another node may get its name."""
        for record in self._by_uid.values():
            record.clear(node)

    def record_gone(self, node: str, gang_uid: str) -> None:
        """Record that a pod takes nothing from the node any more; ``gang_uid`` is '' for a pod of no gang."""
        for uid, record in self._by_uid.items():
            if uid != gang_uid and record.refusal is not None and record.rejects(node):
                record.roomier.add(node)

    def advance_to(self, now: float) -> None:
        """Plan gangs again if pods are gone from nodes that rejected them.

        A gang is planned again ``AVOID_SECONDS`` after its refusal at the earliest.
        """
        for record in self._by_uid.values():
            if record.roomier and record.refused_at + AVOID_SECONDS <= now:
                for node in record.roomier:
                    record.clear(node)
                self._lift(record)

    def next_end(self) -> float:
        """The earliest time at which :meth:`advance_to` plans a gang again; infinity if there is none."""
        waiting = (record.refused_at for record in self._by_uid.values() if record.roomier)
        return min((since + AVOID_SECONDS for since in waiting), default=float("inf"))

    def forget(self, gang_uid: str) -> None:
        """Forget a gang that is gone, or whose members all run."""
        self._by_uid.pop(gang_uid, None)

    def _record(self, gang: GangFact) -> _Record:
        record = self._by_uid.get(gang.uid)
        if record is None or record.generation != gang.generation:
            record = self._by_uid[gang.uid] = _Record(gang=gang.key, generation=gang.generation)
        return record

    def _refuse(self, record: _Record, gang: GangFact, nodes: Suiting, now: float) -> None:
        for reason, rejecting in sorted(record.counted.items()):
            if len(rejecting) >= ENOUGH_NODES:
                record.refusal = _refusal(reason, rejecting)
                record.rejected = Rejected(reason, tuple(sorted(rejecting))[:MOST_NODES], nodes.digest(gang))
                record.refused_at = now
                return

    def _lift(self, record: _Record) -> None:
        record.lift()
        self._changed(record.gang)


def _refusal(reason: str, nodes: dict[str, str]) -> Refusal:
    """The refusal, with the message of the first kubelet by node name."""
    names = sorted(nodes)
    some = ", ".join(names[:ENOUGH_NODES]) + (", …" if len(names) > ENOUGH_NODES else "")
    words = nodes[names[0]][:_LONGEST_WORDS].rstrip(".") or reason
    return Refusal(
        Reason.REJECTED_BY_KUBELETS,
        f"The kubelets of {len(names)} nodes ({some}) reject its members for the same reason: {words}. It is planned "
        "again when its spec or a suitable node changes.",
    )


def _refusal_in_status(gang: GangFact) -> Refusal | None:
    """The refusal in the status, if it is about the current spec."""
    accepted = gang.status.condition(Condition.ACCEPTED)
    if accepted is None or (accepted.status, accepted.reason) != ("False", Reason.REJECTED_BY_KUBELETS):
        return None
    is_of_spec = accepted.observed_generation == gang.generation
    return Refusal(Reason.REJECTED_BY_KUBELETS, accepted.message) if is_of_spec else None
