"""Gangs whose members kubelets reject: for the same reason on three nodes, and a gang is refused.

What makes a kubelet reject a pod is in the pod or in the node. So neither time nor a dry run changes it: a refused gang
is planned again when its spec is another one, when a node that suits it is new or has changed, or when pods have gone
from a node that rejected it. A node that rejected the gang before that, and does so once more, is barred until it has
changed itself, and is not counted again.

Life of what is known here::

    rejected on one or two nodes ──on a third──► refused ──a node changes──► planned again ──on three others──► refused

A process that knows nothing of it goes on from what the status says (``resume``).
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
"""On so many nodes the same reason is no accident of one of them."""

# A kubelet that lacks a resource: others took it first, or something that no watch shows. That comes and goes by
# itself, and is left to the rest between attempts.
_LACKS = "OutOf"
_LONGEST_REASON = 128
_LONGEST_WORDS = 1000


@dataclass(slots=True, kw_only=True)
class _Record:
    """``counted``: by reason, who rejected the gang since it was planned again. ``earlier``: who did before that.

    ``roomier``: nodes of those from which pods of others have gone since the refusal.
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
        """The node is not as it was: nothing counts against it."""
        self.earlier.discard(node)
        self.barred.discard(node)
        for nodes in self.counted.values():
            nodes.pop(node, None)

    def lift(self) -> None:
        """The gang is planned again; what is known of nodes that are as they were still counts."""
        self.earlier |= {node for nodes in self.counted.values() for node in nodes}
        self.counted.clear()
        self.refusal = self.rejected = None
        self.roomier.clear()


class Rejections:
    """By the UID of the gang; forgotten with it, and with its spec. ``changed`` is called when one is planned again.

    There are never more nodes of a gang than it was given.
    """

    def __init__(self, changed: Callable[[GangKey], None]) -> None:
        self._changed = changed
        self._by_uid: dict[str, _Record] = {}

    def note(self, gang: GangFact, lost_on: Iterable[LostOn], nodes: Suiting, now: float) -> None:
        """Members of the gang were lost so; ``nodes`` are all that there are."""
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
        """Take what the gang's status says for known, unless nodes that suit it have changed since."""
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
        """Why the gang is not planned, if that is the reason: as is known here, or else as its status says."""
        record = self._by_uid.get(gang.uid)
        if record is None or record.generation != gang.generation:
            return _said_by_status(gang)
        return record.refusal

    def rejected(self, gang: GangFact) -> Rejected | None:
        """What the status of a refused gang is to keep."""
        record = self._by_uid.get(gang.uid)
        return None if record is None or record.generation != gang.generation else record.rejected

    def barred(self, gang: GangFact) -> Names:
        """The nodes that the gang is kept off, since they rejected it and are as they were."""
        record = self._by_uid.get(gang.uid)
        return frozenset() if record is None or record.generation != gang.generation else frozenset(record.barred)

    def note_changed(self, node: str, suits: Suiting, gangs: Mapping[GangKey, GangFact]) -> None:
        """A node is new, or has changed; ``suits`` says for which of the gangs, as far as the node goes."""
        for record in self._by_uid.values():
            record.clear(node)
            gang = gangs.get(record.gang)
            if record.refusal is not None and gang is not None and suits.any_suits(gang):
                self._lift(record)

    def note_removed(self, node: str) -> None:
        """A node is gone: another one may take its name."""
        for record in self._by_uid.values():
            record.clear(node)

    def note_gone(self, node: str, gang_uid: str) -> None:
        """A pod takes nothing from the node any more: one of a gang, or where the UID is '' of none."""
        for uid, record in self._by_uid.items():
            if uid != gang_uid and record.refusal is not None and record.rejects(node):
                record.roomier.add(node)

    def note_time(self, now: float) -> None:
        """Where pods have gone from nodes that rejected a gang, it is planned again, but not at once."""
        for record in self._by_uid.values():
            if record.roomier and record.refused_at + AVOID_SECONDS <= now:
                for node in record.roomier:
                    record.clear(node)
                self._lift(record)

    def next_end(self) -> float:
        """The earliest time at which a gang is planned again because of that; infinity where there is none."""
        waiting = (record.refused_at for record in self._by_uid.values() if record.roomier)
        return min((since + AVOID_SECONDS for since in waiting), default=float("inf"))

    def forget(self, gang_uid: str) -> None:
        """The gang is gone; or all of its members run, so that no kubelet rejects them."""
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
    """The reason of the kubelets, in the words of the first of them by name."""
    names = sorted(nodes)
    some = ", ".join(names[:ENOUGH_NODES]) + (", …" if len(names) > ENOUGH_NODES else "")
    words = nodes[names[0]][:_LONGEST_WORDS].rstrip(".") or reason
    return Refusal(
        Reason.REJECTED_BY_KUBELETS,
        f"The kubelets of {len(names)} nodes ({some}) reject its members for the same reason: {words}. It is planned "
        "again when its spec changes, or a node that suits it.",
    )


def _said_by_status(gang: GangFact) -> Refusal | None:
    """What the status says of it, where it is of this very spec."""
    accepted = gang.status.condition(Condition.ACCEPTED)
    if accepted is None or (accepted.status, accepted.reason) != ("False", Reason.REJECTED_BY_KUBELETS):
        return None
    is_of_spec = accepted.observed_generation == gang.generation
    return Refusal(Reason.REJECTED_BY_KUBELETS, accepted.message) if is_of_spec else None
