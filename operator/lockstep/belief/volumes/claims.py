"""The volumes that members claim: existing ones, future ones, and the nodes that can reach them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple, TypeVar

from coschedule import Constraints, GangKey
from lockstep.api.members.claims import kept_claim
from lockstep.belief.common.remembered import Remembered
from lockstep.belief.nodes.node_index import Names, NodeIndex
from lockstep.belief.volumes.claim_index import ClaimIndex
from lockstep.belief.volumes.provisioning import Provisioning
from lockstep.belief.volumes.storage import Storage
from lockstep.belief.volumes.volume_choice import Seeker
from lockstep.facts.cluster.volume import ClaimFact, ClaimKey, CsiVolume, Sharing, VolumeFact, VolumeRequest
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.role import RoleSpec

Value = TypeVar("Value")
Gang = TypeVar("Gang", bound=GangFact)


class ClaimsChange(NamedTuple):
    """A change that concerns these claims, or all claims for None. ``volume`` is the changed volume, or ''."""

    claims: tuple[ClaimKey, ...] | None
    volume: str = ""


class Stamp(NamedTuple):
    """Equal stamps mean equal claims of a namespace, and the same volumes, classes and nodes."""

    claims: int
    supply: int
    nodes: int


class Claims:
    """The claims and volumes, and their effect on gangs. ``changed`` is called after each change."""

    def __init__(
        self, changed: Callable[[ClaimsChange], None], *, nodes: Callable[[], NodeIndex], remembered: Remembered
    ) -> None:
        self._changed = changed
        self._nodes = nodes
        self._index = ClaimIndex()
        self._remembered = remembered
        self._supply_changes = 0
        self.claims: dict[ClaimKey, ClaimFact] = {}
        self.volumes: dict[str, VolumeFact] = {}
        self.storage = Storage(self._storage_changed)
        self.provisioning = Provisioning(self.storage, nodes)

    def apply_claim(self, fact: ClaimFact) -> None:
        """Add or update a claim."""
        before = self.claims.get(fact.key)
        if before == fact:
            return
        if before is not None:
            self._index.leave(before)
        self.claims[fact.key] = fact
        self._index.enter(fact)
        self._changed(ClaimsChange((fact.key,)))

    def remove_claim(self, key: ClaimKey) -> None:
        """Remove a claim."""
        before = self.claims.pop(key, None)
        if before is not None:
            self._index.leave(before)
            self._changed(ClaimsChange((key,)))

    def apply_volume(self, fact: VolumeFact) -> None:
        """Add or update a volume."""
        before = self.volumes.get(fact.name)
        if before != fact:
            if before is not None:
                self.provisioning.volumes.leave(before)
            self.volumes[fact.name] = fact
            self.provisioning.volumes.enter(fact)
            self._supply_changed(ClaimsChange(self._index.naming(fact.name), fact.name))

    def remove_volume(self, name: str) -> None:
        """Remove a volume."""
        before = self.volumes.pop(name, None)
        if before is not None:
            self.provisioning.volumes.leave(before)
            self._supply_changed(ClaimsChange(self._index.naming(name), name))

    def stamp(self, namespace: str) -> Stamp:
        """A stamp of everything on which answers about a namespace's claims depend."""
        return Stamp(self._index.changed_at(namespace), self._supply_changes, self._nodes().generation)

    def remembered(self, question: Callable[["Claims", Gang], Value], gang: Gang) -> Value:
        """The answer to a question about a gang, kept while its spec and the stamp of its namespace are the same."""
        return self._remembered.of(gang, self.stamp(gang.key.namespace), question, lambda: question(self, gang))

    def kept(self, gang: GangKey, template: str) -> Mapping[int, ClaimFact]:
        """The existing claims of a gang by that template, by rank. The gang may be too small for some of the ranks."""
        return self._index.kept(gang, template)

    def constraints(self, gang: GangKey, role: RoleSpec) -> Constraints:
        """The constraints of the role's template, together with those of the volumes that all of its members share."""
        affinities = {affinity for volume in self._volumes_of(gang, role) for affinity in volume.affinities}
        return replace(role.constraints, volumes=tuple(sorted(affinities))) if affinities else role.constraints

    def csi_volumes(self, claims: Iterable[tuple[str, str]]) -> Iterator[CsiVolume]:
        """The CSI volumes of these claims, existing or future. Claims are given as namespace and name."""
        for namespace, name in claims:
            claim = self.claims.get(ClaimKey(namespace, name))
            volume = None if claim is None else self.volumes.get(claim.volume)
            if volume is not None and volume.csi is not None:
                yield volume.csi
            elif claim is not None and volume is None:
                yield from self.csi_volume_to_be(claim.key, claim.request)

    def csi_volume_to_be(self, key: ClaimKey, request: VolumeRequest) -> Iterator[CsiVolume]:
        """The volume that will be made for a claim; nothing if its storage class is unknown."""
        kind = self.storage.class_of(request.storage_class)
        if kind is not None:
            yield CsiVolume(kind.provisioner, f"of claim {key.namespace}/{key.name}")

    def is_usable(self, claim: ClaimFact) -> bool:
        """Whether the claim is bound to a volume in the cache."""
        return claim.is_bound and claim.volume in self.volumes

    def reach(self, claim: ClaimFact) -> Names | None:
        """The nodes that reach the claim's volume, or its selected node; None if it has neither."""
        if not self.is_usable(claim):
            return frozenset({claim.selected_node}) if claim.selected_node else None
        return self._nodes().reaching(self.volumes[claim.volume].affinities)

    def shared_seekers(self, gang: GangKey, role: RoleSpec) -> tuple[Seeker, ...]:
        """The shared claims of the role that get a volume only when the node of a member is known."""
        keys = (ClaimKey(gang.namespace, use.claim) for use in role.claims if use.sharing is Sharing.SHARED)
        claims = (self.claims[key] for key in keys if key in self.claims)
        return tuple(self.seeker_of(claim) for claim in claims if not claim.is_bound and self.waits(claim.request))

    def own_seekers(self, gang: GangKey, role: RoleSpec) -> tuple[Seeker, ...]:
        """The claims that each member has for itself, and that get a volume later.

        The claims of rank 0 stand for those of all ranks.
        """
        own = ((use.claim, use.request) for use in role.claims if use.request is not None and self.waits(use.request))
        return tuple(
            Seeker(ClaimKey(gang.namespace, kept_claim(name, gang.name, 0)), self.resolved(request))
            for name, request in own
        )

    def seeker_of(self, claim: ClaimFact) -> Seeker:
        """The claim in the form in which it seeks a volume."""
        return Seeker(claim.key, self.resolved(claim.request), claim.uid, claim.selected_node)

    def resolved(self, request: VolumeRequest) -> VolumeRequest:
        """The request with a storage class: the default class if it names none, '' if there is no default class."""
        kind = self.storage.class_of(request.storage_class)
        return request._replace(storage_class=kind.name if kind is not None else request.storage_class or "")

    def waits(self, request: VolumeRequest) -> bool:
        """Whether a claim with this request gets its volume only when its first consumer has a node."""
        kind = self.storage.class_of(request.storage_class)
        return kind is not None and kind.waits

    def _storage_changed(self, *, concerns_claims: bool) -> None:
        """Record a change of a storage class, which any claim may use, or of a driver's published capacity."""
        self._supply_changed(ClaimsChange(None if concerns_claims else ()))

    def _supply_changed(self, change: ClaimsChange) -> None:
        self._supply_changes += 1
        self.provisioning.forget()
        self._changed(change)

    def _volumes_of(self, gang: GangKey, role: RoleSpec) -> Iterator[VolumeFact]:
        for use in role.claims:
            claim = self.claims.get(ClaimKey(gang.namespace, use.claim))
            if use.sharing is Sharing.SHARED and claim is not None and claim.volume in self.volumes:
                yield self.volumes[claim.volume]
