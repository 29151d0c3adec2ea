"""The gangs that use claims. When a claim changes, the operator checks only these gangs."""

from collections.abc import Iterable, Iterator

from coschedule import GangKey
from lockstep.belief.common.changed_keys import ChangedKeys
from lockstep.facts.cluster.volume import ClaimKey
from lockstep.facts.gang.gang import AcceptedGang, GangFact


class ClaimingGangs:
    """Gangs that use claims, by namespace.

    Changes of volumes, or of room for them, need a plan only for these gangs.
    """

    def __init__(self, changes: ChangedKeys) -> None:
        self._changes = changes
        self._by_namespace: dict[str, set[GangKey]] = {}

    def enter(self, gang: GangFact) -> None:
        """Add or update a gang, or remove it if it uses no claims."""
        if isinstance(gang, AcceptedGang) and any(role.claims for role in gang.spec.roles):
            self._by_namespace.setdefault(gang.key.namespace, set()).add(gang.key)
        else:
            self.leave(gang.key)

    def leave(self, gang: GangKey) -> None:
        """Remove a gang that is gone, or uses no claims any more."""
        gangs = self._by_namespace.get(gang.namespace)
        if gangs is not None:
            gangs.discard(gang)
            if not gangs:
                del self._by_namespace[gang.namespace]

    def claims_changed(self, claims: Iterable[ClaimKey] | None) -> None:
        """Reconcile the claiming gangs in the namespaces of these claims, and request a plan. None means all claims.

        The claims have changed, or the volumes that they may get.
        """
        self._changes.reconcile(*self._concerned(claims))
        self.room_changed()

    def room_changed(self) -> None:
        """Request a plan if any gang uses claims, since nodes can attach more volumes, or fewer."""
        self._changes.record_change(needs_plan=bool(self._by_namespace))

    def _concerned(self, claims: Iterable[ClaimKey] | None) -> Iterator[GangKey]:
        namespaces = self._by_namespace if claims is None else {claim.namespace for claim in claims}
        for namespace in namespaces:
            yield from self._by_namespace.get(namespace, ())
