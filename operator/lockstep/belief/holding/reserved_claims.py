"""The claims that reserved members use, and on which nodes, before the pods of these members exist.

Claims are kept by reservation, so no caller reads all members of all gangs. Claims of single members are not listed:
their names follow from gang, attempt and rank, so the rank can be parsed from the name.
"""

from collections.abc import Collection, Hashable, Iterator
from typing import TypeVar

from coschedule import GangKey
from lockstep.belief.holding.claim_holder import ClaimHolder, UsedClaim, uses_by_role
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.cluster.volume import ClaimKey
from lockstep.facts.gang.gang import GangFact

Key = TypeVar("Key", bound=Hashable)


class ReservedClaims:
    """Claims by gang, node and name. A reservation that was entered has to leave later."""

    def __init__(self) -> None:
        self._holders: dict[GangKey, ClaimHolder] = {}
        self._by_node: dict[str, dict[GangKey, None]] = {}
        self._by_name: dict[ClaimKey, dict[GangKey, None]] = {}

    def enter(self, gang: GangFact, reservation: Reservation) -> Collection[str]:
        """Enter a reservation, or update it when its gang changes. Returns the nodes on which claims may differ now.

        The roles of a Gang follow its waiting pods, which come and go. If the spec lacks a role of the reservation, the
        claims of its members stay until the reservation is over.
        """
        uses, known = uses_by_role(gang), self._holders.get(gang.key)
        if known is not None and known.reservation is reservation:
            uses = {role: uses.get(role, before) for role, before in known.uses.items()}
            if uses == known.uses:
                return ()
        left = self.leave(gang.key)
        if not any(uses.values()):
            return left
        holder = self._holders[gang.key] = ClaimHolder(reservation, uses)
        for node in holder.nodes:
            self._by_node.setdefault(node, {})[gang.key] = None
        for name in holder.names():
            self._by_name.setdefault(name, {})[gang.key] = None
        return {*left, *holder.nodes}

    def leave(self, gang: GangKey) -> Collection[str]:
        """Remove a gang's reservation. Returns the nodes on which its members use claims."""
        holder = self._holders.pop(gang, None)
        if holder is None:
            return ()
        for node in holder.nodes:
            _take_off(self._by_node, node, gang)
        for name in holder.names():
            _take_off(self._by_name, name, gang)
        return holder.nodes

    def on(self, node: str, *, but: GangKey | None = None) -> Iterator[UsedClaim]:
        """The claims that members on that node use, without claims of the gang ``but``."""
        for gang in self._by_node.get(node, ()):
            if gang != but:
                yield from self._holders[gang].claims_on(node)

    def nodes_of(self, gang: GangKey) -> Collection[str]:
        """The nodes on which the gang has members, if these use claims."""
        holder = self._holders.get(gang)
        return () if holder is None else holder.nodes

    def users(self, claim: ClaimKey) -> Collection[GangKey]:
        """The gangs whose members share the claim of that name."""
        return [gang for gang in self._by_name.get(claim, ()) if claim.name in self._holders[gang].shared]

    def nodes_using(self, claim: ClaimKey) -> Iterator[str]:
        """The nodes of members that use that claim: all members for a shared claim, otherwise one member."""
        for end in range(len(claim.name), 0, -1):
            if end < len(claim.name) and claim.name[end] != "-":
                continue
            for gang in self._by_name.get(claim._replace(name=claim.name[:end]), ()):
                yield from self._holders[gang].nodes_using(claim.name)


def _take_off(gangs_by: dict[Key, dict[GangKey, None]], key: Key, gang: GangKey) -> None:
    gangs = gangs_by[key]
    del gangs[gang]
    if not gangs:
        del gangs_by[key]
