"""Which gangs use claims: when a claim changes, the operator checks no other gangs."""

from collections.abc import Iterable, Iterator

from coschedule import GangKey
from lockstep.facts.cluster.volume import ClaimKey
from lockstep.facts.gang.gang import AcceptedGang, GangFact


class ClaimingGangs:
    """Gangs that use claims, by namespace."""

    def __init__(self) -> None:
        self._by_namespace: dict[str, set[GangKey]] = {}

    def __bool__(self) -> bool:
        """Whether any gang uses claims."""
        return bool(self._by_namespace)

    def enter(self, gang: GangFact) -> None:
        """Add or update a gang."""
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

    def concerned(self, claims: Iterable[ClaimKey] | None) -> Iterator[GangKey]:
        """The gangs that may use one of these claims; None stands for all claims."""
        namespaces = self._by_namespace if claims is None else {claim.namespace for claim in claims}
        for namespace in namespaces:
            yield from self._by_namespace.get(namespace, ())
