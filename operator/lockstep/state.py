"""Belief: the newest fact of everything, and what is assumed beyond the facts.

Life of a reservation here::

    hold ──► (every member: assumed ──watch shows it bound──► confirmed) ──► let_go
      ╰────────────────────── forget, where the attempt fails ──────────────────╯

Whoever holds must let go or forget on every path. Nothing here awaits, reads a clock or talks to the API server:
watches call ``apply_…`` and ``remove_…``, the cycle asks. Facts may come in any order and more than once; belief
depends on the newest only.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from coschedule.cluster.snapshot import GangKey
from lockstep.claims import Claims
from lockstep.facts import (
    BidFact,
    ClaimFact,
    ClaimKey,
    GangFact,
    Members,
    NodeFact,
    PodFact,
    PodKey,
    Request,
    VolumeFact,
)
from lockstep.ledger import Ledger
from lockstep.names import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """What one attempt of a gang holds: so many members on these nodes, ranks along the list."""

    gang: GangKey
    gang_uid: str
    attempt: int
    members: tuple[Members, ...]
    request: Request
    start: float
    expected_finish: float | None

    @property
    def size(self) -> int:
        """How many members the gang has."""
        return sum(entry.size for entry in self.members)

    def nodes_by_rank(self) -> Iterator[str]:
        """The node of each rank, from 0 on."""
        for entry in self.members:
            yield from [entry.node] * entry.size

    def pod_keys(self) -> Iterator[PodKey]:
        """The pod of each rank: a function of gang, attempt and rank, so that every request can be repeated."""
        for rank in range(self.size):
            yield PodKey(self.gang.namespace, pod_name(self.gang.name, self.attempt, rank))


def pod_name(gang: str, attempt: int, rank: int) -> str:
    """The name of a member pod."""
    return f"{gang}-{attempt}-{rank}"


class State:
    """Everything believed about the cluster. ``wake`` is called after each change that the cycle should look at."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self.generation = 0
        self.nodes_generation = 0
        self.nodes: dict[str, NodeFact] = {}
        self.bids: dict[str, BidFact] = {}
        self.pods: dict[PodKey, PodFact] = {}
        self.gangs: dict[GangKey, GangFact] = {}
        self.priorities: dict[str, int] = {}
        self.default_priority = 0
        self.claims = Claims()
        self.ledger = Ledger()
        self.reservations: dict[GangKey, Reservation] = {}
        self.needs_plan = False
        self.changed_gangs: set[GangKey] = set()
        self._members: dict[str, dict[PodKey, PodFact]] = {}
        self._departed: dict[str, dict[PodKey, PodFact]] = {}
        self._priority_classes: dict[str, bool] = {}

    # Facts about the cluster

    def apply_node(self, fact: NodeFact) -> None:
        """A node is there, or has changed. Heartbeats, which change no fact, are no change."""
        if self.nodes.get(fact.name) != fact:
            self.nodes[fact.name] = fact
            self.nodes_generation += 1
            self._changed(needs_plan=True)

    def remove_node(self, name: str) -> None:
        """A node is gone."""
        if self.nodes.pop(name, None) is not None:
            self.nodes_generation += 1
            self._changed(needs_plan=True)

    def apply_bid(self, fact: BidFact) -> None:
        """A node's bid is there, or has changed; an older version than the known one is no news."""
        before = self.bids.get(fact.node)
        if before != fact and not (before and is_older(fact.resource_version, before.resource_version)):
            self.bids[fact.node] = fact
            self.nodes_generation += 1
            self._changed(needs_plan=True)

    def remove_bid(self, node: str) -> None:
        """A node's bid is gone: the node has the default one."""
        if self.bids.pop(node, None) is not None:
            self.nodes_generation += 1
            self._changed(needs_plan=True)

    def apply_priority(self, name: str, value: int, *, is_default: bool) -> None:
        """A priority class is there, or has changed."""
        self.priorities[name] = value
        self._priority_classes[name] = is_default
        self._priorities_changed()

    def remove_priority(self, name: str) -> None:
        """A priority class is gone."""
        self.priorities.pop(name, None)
        self._priority_classes.pop(name, None)
        self._priorities_changed()

    def apply_claim(self, fact: ClaimFact) -> None:
        """A claim for a volume is there, or has changed."""
        if self.claims.claims.get(fact.key) != fact:
            self.claims.claims[fact.key] = fact
            self._claims_changed()

    def remove_claim(self, key: ClaimKey) -> None:
        """A claim is gone."""
        if self.claims.claims.pop(key, None) is not None:
            self._claims_changed()

    def apply_volume(self, fact: VolumeFact) -> None:
        """A volume is there, or has changed."""
        if self.claims.volumes.get(fact.name) != fact:
            self.claims.volumes[fact.name] = fact
            self._claims_changed()

    def remove_volume(self, name: str) -> None:
        """A volume is gone."""
        if self.claims.volumes.pop(name, None) is not None:
            self._claims_changed()

    def priority_of(self, gang: GangFact) -> int | None:
        """The gang's priority; ``None`` where its class does not exist."""
        assert gang.spec is not None, "a refused gang has no priority"
        if not gang.spec.priority_class:
            return self.default_priority
        return self.priorities.get(gang.spec.priority_class)

    # Facts about pods

    def apply_pod(self, fact: PodFact) -> None:
        """A pod is there, or has changed."""
        before = self.pods.get(fact.key)
        if before == fact:
            return
        self._unlist(before)
        self.pods[fact.key] = fact
        if fact.member is not None:
            self._members.setdefault(fact.member.gang_uid, {})[fact.key] = fact
            self.changed_gangs.add(fact.member.gang)
        self._changed(needs_plan=self._recount(fact))

    def remove_pod(self, key: PodKey) -> None:
        """A pod is gone."""
        before = self.pods.pop(key, None)
        if before is None:
            return
        self._unlist(before)
        if before.member is not None:
            gang = self.gangs.get(before.member.gang)
            if gang is not None and gang.uid == before.member.gang_uid:
                self._departed.setdefault(gang.uid, {})[key] = before
            self.changed_gangs.add(before.member.gang)
        self._changed(needs_plan=self.ledger.release(key))

    # Facts about gangs

    def apply_gang(self, fact: GangFact) -> None:
        """A gang is there, or has changed; an older version than the known one is no news."""
        before = self.gangs.get(fact.key)
        if before is not None and before.uid == fact.uid and is_older(fact.resource_version, before.resource_version):
            return
        if before is not None and before.uid != fact.uid:
            self.remove_gang(before.key, before.uid)
            before = None
        self.gangs[fact.key] = fact
        self.hold_what_is_reserved(fact)
        self.changed_gangs.add(fact.key)
        self._changed(needs_plan=before is None or not asks_the_same(before, fact))

    def remove_gang(self, key: GangKey, uid: str) -> None:
        """A gang is gone. Its pods may still be there: see :meth:`orphans`."""
        known = self.gangs.get(key)
        if known is None or known.uid != uid:
            return
        del self.gangs[key]
        self.forget(key)
        self._departed.pop(uid, None)
        self.changed_gangs.add(key)
        self._changed(needs_plan=True)

    # Assumptions

    def hold(self, reservation: Reservation) -> None:
        """Count an attempt's members on their nodes from now on, whether their pods exist or not, but ended ones."""
        self.reservations[reservation.gang] = reservation
        for pod, node in zip(reservation.pod_keys(), reservation.nodes_by_rank(), strict=True):
            known = self.pods.get(pod)
            if known is None or not known.has_ended:
                self.ledger.assume(pod, node, reservation.request)
        self.generation += 1

    def forget(self, gang: GangKey) -> None:
        """End a reservation: whatever no watch has confirmed is no longer counted."""
        reservation = self.reservations.pop(gang, None)
        if reservation is None:
            return
        for pod in reservation.pod_keys():
            self.ledger.forget(pod)
        self._changed(needs_plan=True)

    def hold_what_is_reserved(self, gang: GangFact) -> None:
        """After a restart the status says what is reserved; while we run, the cycle held it before it was written."""
        if gang.status.is_true(Condition.COMPLETE):
            self.forget(gang.key)
            return
        reservation = reserved_in_status(gang)
        if reservation is not None and gang.key not in self.reservations:
            self.hold(reservation)

    # Questions

    def members(self, gang: GangFact) -> dict[PodKey, PodFact]:
        """The pods of all the gang's attempts that are there."""
        return self._members.get(gang.uid, {})

    def departed(self, gang: GangFact) -> dict[PodKey, PodFact]:
        """The gang's pods that were seen and are gone, as they were last seen."""
        return self._departed.get(gang.uid, {})

    def orphans(self) -> list[PodFact]:
        """The members of gangs that are not there (any more)."""
        known = {gang.uid for gang in self.gangs.values()}
        gone = [uid for uid in self._members if uid not in known]
        return [pod for uid in gone for pod in self._members[uid].values()]

    def next_bid_end(self) -> float | None:
        """The earliest time at which a bid no longer counts."""
        return min((bid.expires_at for bid in self.bids.values() if bid.expires_at is not None), default=None)

    def expire_bids(self, now: float) -> None:
        """Drop the bids that were not renewed in time."""
        for bid in [bid for bid in self.bids.values() if bid.expires_at is not None and bid.expires_at <= now]:
            self.remove_bid(bid.node)

    def take_changed_gangs(self) -> set[GangKey]:
        """The gangs about which something has changed since the last call."""
        changed, self.changed_gangs = self.changed_gangs, set()
        return changed

    def _changed(self, *, needs_plan: bool) -> None:
        self.generation += 1
        self.needs_plan |= needs_plan
        self._wake()

    def _claims_changed(self) -> None:
        concerned = {key for key, gang in self.gangs.items() if gang.spec is not None and gang.spec.claims}
        self.changed_gangs.update(concerned)
        self._changed(needs_plan=bool(concerned))

    def _priorities_changed(self) -> None:
        self.default_priority = max(
            (self.priorities[name] for name, d in self._priority_classes.items() if d), default=0
        )
        self.changed_gangs.update(self.gangs)
        self._changed(needs_plan=True)

    def _recount(self, pod: PodFact) -> bool:
        if pod.has_ended:
            return self.ledger.release(pod.key)
        return bool(pod.node) and self.ledger.confirm(pod.key, pod.node, pod.request)

    def _unlist(self, before: PodFact | None) -> None:
        if before is None or before.member is None:
            return
        pods = self._members.get(before.member.gang_uid, {})
        pods.pop(before.key, None)
        if not pods:
            self._members.pop(before.member.gang_uid, None)


def reserved_in_status(gang: GangFact) -> Reservation | None:
    """What the gang's status says it holds."""
    status = gang.status
    if status.reserved_at is None or not status.members or gang.spec is None:
        return None
    return Reservation(
        gang=gang.key,
        gang_uid=gang.uid,
        attempt=status.attempt,
        members=status.members,
        request=gang.spec.request,
        start=status.start if status.start is not None else status.reserved_at,
        expected_finish=status.expected_finish,
    )


def is_older(version: str, known: str) -> bool:
    """Whether the known version came later.

    Versions are ordered since Kubernetes 1.35; where they are not numbers, news is news.
    """
    return version.isdecimal() and known.isdecimal() and int(version) < int(known)


def asks_the_same(before: GangFact, after: GangFact) -> bool:
    """Whether the planner would see no difference: the status is our own, and changes nothing."""
    return (before.generation, before.is_deleting) == (after.generation, after.is_deleting)
