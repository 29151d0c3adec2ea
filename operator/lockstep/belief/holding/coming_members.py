"""Members of gangs that hold nodes, counted among the pods before watches show them.

They are entered among other pods, once for each role and node. So one search finds all pods with given labels, or all
pods whose anti-affinity excludes a member. The entries are removed when watches have shown that all members of the
attempt are bound.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from coschedule import GangKey
from lockstep.belief.holding.ledger import Ledger
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.pods.kinds import kinds_of
from lockstep.belief.pods.pod_effects import PodsNearby
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.pods.pod import Labels, PodFact, PodKey, PodPhase, PodTerm


class Holding(NamedTuple):
    """A gang that holds nodes, and its reservation."""

    gang: GangFact
    reservation: Reservation


class _ComingKind(NamedTuple):
    """Members of one role: their labels, and the terms of their anti-affinity."""

    labels: Labels
    anti_affinity_terms: tuple[PodTerm, ...]


class _ComingPlace(NamedTuple):
    role: str
    node: str


class Coming:
    """The entries of coming members. :meth:`renew` computes them, and only for gangs that have changed.

    ``held`` returns the reservation of a gang.
    """

    def __init__(self, held: Callable[[GangKey], Holding | None], ledger: Ledger) -> None:
        self._held = held
        self._ledger = ledger
        self._stale: set[GangKey] = set()
        self._there: dict[GangKey, dict[_ComingPlace, PodFact]] = {}

    def touch(self, gang: GangKey) -> None:
        """Note that the gang's reservation or members have changed: :meth:`renew` computes its entries anew."""
        self._stale.add(gang)

    def forget(self, gang: GangKey) -> None:
        """Note that the gang holds nothing any more: :meth:`renew` removes its entries."""
        (self._stale.add if gang in self._there else self._stale.discard)(gang)

    def renew(self, pods_nearby: PodsNearby) -> None:
        """Update the entries in ``pods_nearby`` of all gangs that have changed since the last call."""
        while self._stale:
            gang = self._stale.pop()
            before, now = self._there.get(gang, {}), self._coming(gang)
            for place, pod in before.items():
                if now.get(place) != pod:
                    pods_nearby.leave(pod)
            for place, pod in now.items():
                if before.get(place) != pod:
                    pods_nearby.enter(pod)
            self._there[gang] = now
            if not now:
                del self._there[gang]

    def of(self, gang: GangKey) -> Collection[PodFact]:
        """The gang's members that are entered."""
        return self._there.get(gang, {}).values()

    def all(self) -> Iterator[PodFact]:
        """All members that are entered."""
        return (pod for of_gang in self._there.values() for pod in of_gang.values())

    def _coming(self, gang: GangKey) -> dict[_ComingPlace, PodFact]:
        held = self._held(gang)
        if held is None or not self._ledger.assumed_of(held.gang.key, held.gang.uid, held.reservation.attempt):
            return {}
        kinds = _kinds(held)
        charged = {node for node, _ in self._ledger.charged(held.gang.key, held.gang.uid, held.reservation.attempt)}
        places = {_ComingPlace(entry.role, entry.node) for entry in held.reservation.members if entry.node in charged}
        return {place: _pod(held, place, kinds[place.role]) for place in places if place.role in kinds}


def _kinds(held: Holding) -> Mapping[str, _ComingKind]:
    kinds = kinds_of(held.gang, held.reservation.attempt) if isinstance(held.gang, AcceptedGang) else ()
    return {kind.role: _ComingKind(tuple(sorted(kind.labels.items())), kind.apart) for kind in kinds}


def _pod(held: Holding, place: _ComingPlace, kind: _ComingKind) -> PodFact:
    """One entry that stands for all members of the role on the node.

    No pod has the name of the entry, because it contains blanks.
    """
    gang, attempt = held.gang.key, held.reservation.attempt
    name = f"{gang.name} {attempt} {place.role} {place.node}"
    return PodFact(
        key=PodKey(gang.namespace, name),
        uid=f"{held.gang.uid} {name}",
        node=place.node,
        phase=PodPhase.PENDING,
        request=(),
        member=None,
        is_deleting=False,
        ended_because="",
        labels=kind.labels,
        anti_affinity_terms=kind.anti_affinity_terms,
    )
