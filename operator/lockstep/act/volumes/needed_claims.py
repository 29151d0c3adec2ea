"""The claims that the members of one attempt use, and the nodes that their volumes must reach."""

from collections.abc import Callable
from dataclasses import dataclass

from lockstep.api.members.claims import claim_of
from lockstep.belief.holding.claim_holder import uses_by_role
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.cluster.volume import ClaimKey, Sharing
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.pod import PodKey


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededClaim:
    """A claim of members on ``nodes``. Its volume is created for the first of these nodes.

    ``pod`` is the pod with which the claim is created and deleted; None for other claims.
    """

    key: ClaimKey
    nodes: tuple[str, ...]
    pod: PodKey | None

    @property
    def node(self) -> str:
        """The node for which its volume is created."""
        return self.nodes[0]


def needed_claims(
    gang: GangFact, reservation: Reservation, *, is_waited_for: Callable[[PodKey], bool] = lambda _: True
) -> list[NeededClaim]:
    """The claims of the members that ``is_waited_for`` selects, each once, by rank."""
    nodes: dict[ClaimKey, dict[str, None]] = {}
    pods: dict[ClaimKey, PodKey | None] = {}
    uses = uses_by_role(gang)
    for rank, role, node, pod in reservation.by_rank() if any(uses.values()) else ():
        for use in uses[role] if is_waited_for(pod) else ():
            key = claim_of(use, pod, gang.key.name, rank)
            nodes.setdefault(key, {})[node] = None
            pods[key] = pod if use.sharing is Sharing.EPHEMERAL else None
    return [NeededClaim(key=key, nodes=tuple(those), pod=pods[key]) for key, those in nodes.items()]
