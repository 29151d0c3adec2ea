"""All parts of the cache that count pods, and that count members of gangs before a watch shows their pods."""

from collections.abc import Callable, Iterable
from itertools import chain

from lockstep.belief.holding.holders import Holders
from lockstep.belief.holding.ledger import Ledger
from lockstep.belief.holding.next_sizes import NextSizes
from lockstep.belief.holding.seats import Seats
from lockstep.belief.podgangs.pod_gangs import PodGangs
from lockstep.belief.pods.pod_effects import PodsNearby
from lockstep.belief.pods.roster import Roster
from lockstep.facts.pods.pod import PodFact


class Counts:
    """All counts of pods and of coming members, in one place: each pod is entered once and removed once.

    ``pods`` returns all pods in the cache. ``users_changed`` is called with a node whose pods use other claims than
    before.
    """

    def __init__(
        self,
        ledger: Ledger,
        holders: Holders,
        pod_gangs: PodGangs,
        pods: Callable[[], Iterable[PodFact]],
        users_changed: Callable[[str], None],
    ) -> None:
        self.ledger = ledger
        self.holders = holders
        self.pod_gangs = pod_gangs
        self.roster = Roster()
        self.pods_nearby = PodsNearby(lambda: chain(pods(), holders.coming.all()), users_changed=users_changed)
        self.next_sizes = NextSizes(ledger)
        self.seats = Seats(pod_gangs, ledger)

    def pods_nearby_now(self) -> PodsNearby:
        """The effects of pods on other pods, including members that are about to be bound."""
        self.holders.coming.renew(self.pods_nearby)
        return self.pods_nearby
