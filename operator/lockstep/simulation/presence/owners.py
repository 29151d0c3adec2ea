"""Node owners who come and go unannounced: how they are described, and which are there in one simulation."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coschedule import Forecasts, no_forecasts
from lockstep.belief.nodes.owners import QUIET_SECONDS
from lockstep.simulation.presence.habits import draw_stays
from lockstep.simulation.presence.office_hours import Windows
from lockstep.simulation.presence.returning import Returning
from lockstep.simulation.presence.stays import HOUR, PresenceChange, Stays, all_changes
from lockstep.simulation.presence.terms import OwnerTerms

BoolArray = NDArray[np.bool_]

_DRAWN = re.compile(r"(0\.[0-9]+|1(?:\.0*)?)@habits")


class Drawn(NamedTuple):
    """Owners of a ``share`` of the nodes, whose habits are drawn."""

    share: float


class RecordedOwners(NamedTuple):
    """Each of these owners has one node; owners beyond the number of nodes have none."""

    stays: Sequence[Stays]


ComingOwners = Drawn | RecordedOwners


def drawn_owners_of(text: str) -> Drawn | None:
    """Read ``0.67@habits``: two thirds of the nodes have owners with habits; None for other texts."""
    found = _DRAWN.fullmatch(text)
    return Drawn(float(found[1])) if found else None


def stays_by_node(owners: ComingOwners, nodes: int, random: np.random.Generator) -> dict[int, Stays]:
    """Draw which nodes have owners, and the habits of ``Drawn`` owners; return the stays by node."""
    order: list[int] = random.permutation(nodes).tolist()
    if isinstance(owners, Drawn):
        return {node: draw_stays(random) for node in order[: round(owners.share * nodes)]}
    return dict(zip(order, owners.stays, strict=False))


@dataclass(slots=True, eq=False)
class Presence:
    """At which nodes owners are ``there`` now, for one simulation from 0 s on; all arrays are by node.

    A node takes no new members until ``opens``: it is closed while its owner is there. If owners evict members, the
    node stays closed for some time after the owner has left, as in the operator.
    """

    nodes: int
    stays: dict[int, Stays]
    terms: OwnerTerms
    owned: BoolArray = field(init=False)
    there: BoolArray = field(init=False)
    opens: NDArray[np.float64] = field(init=False)
    next: PresenceChange | None = field(init=False)
    _changes: Iterator[PresenceChange] = field(init=False)
    _returning: Returning = field(init=False)

    def __post_init__(self) -> None:
        self.owned = np.isin(np.arange(self.nodes), list(self.stays))
        self.there = np.zeros(self.nodes, dtype=np.bool_)
        self.opens = np.full(self.nodes, -math.inf)
        self._changes, self._returning = all_changes(self.stays), Returning(self.nodes, self.stays)
        self.next = next(self._changes, None)

    def until(self, now: float) -> list[PresenceChange]:
        """Return the comings and goings of owners since the last call."""
        changes = []
        while self.next is not None and self.next.time <= now:
            self._apply(self.next)
            changes.append(self.next)
            self.next = next(self._changes, None)
        return changes

    def windows(self, now: float) -> Windows:
        """Return when each node takes members next; no window closes, since comings are not known before."""
        return Windows(np.where(self.opens <= now, -math.inf, self.opens), np.full(self.nodes, math.inf))

    def forecasts(self, now: float) -> Forecasts:
        """Return forecasts of owners' returns; none if members may stay, since no work is lost then."""
        return self._returning.forecasts(now, self.there) if self.terms.evicts else no_forecasts()

    def next_check(self, now: float) -> float:
        """Return when a policy should decide again: when a node opens, or the next forecast is made."""
        return float(self.opens[self.opens > now].min(initial=(now // HOUR + 1) * HOUR))

    def _apply(self, change: PresenceChange) -> None:
        quiet = QUIET_SECONDS if self.terms.evicts else 0.0
        self.there[change.node] = change.is_there
        self.opens[change.node] = math.inf if change.is_there else change.time + quiet
