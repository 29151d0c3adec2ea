"""Which owners are back on their nodes, since when, and when their nodes are open to gangs again.

An owner is back who is present, or whose node is past the time at which it is taken back. What becomes of members
there the bid says (``onReturn``). Since when an owner is back who interrupts gangs, the bid's status keeps for the next
process; what no leader can have written there, as it is still to come or older than any grace period, has no effect.

A node whose owner interrupts gangs stays closed for a while after the owner has left. So an owner who comes and goes
costs gangs one interruption in that time at most.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lockstep.facts.cluster.node import BidFact, OnReturn

QUIET_SECONDS = 600.0
"""For so long the owner has to be away before gangs come to a node again that they may have to leave at once."""


# The bound of gracePeriodSeconds in crds/make/nodebids.yaml.
_LONGEST_GRACE_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerBack:
    """The owner of a node is back ``since`` that time of day, and members there are dealt with as the bid says."""

    node: str
    since: float
    on_return: OnReturn
    grace_seconds: float

    @property
    def due(self) -> float:
        """When the time that members have is over."""
        return self.since + self.grace_seconds


class NodeOwners:
    """Follows owners by the bids of their nodes.

    ``returned`` is told of nodes whose owners are back, and again when the time is over that members have there;
    ``changed`` is called when the time changes at which a node opens.
    """

    def __init__(
        self, bids: Mapping[str, BidFact], *, returned: Callable[[set[str]], None], changed: Callable[[], None]
    ) -> None:
        self._bids = bids
        self._returned = returned
        self._changed = changed
        self._back: dict[str, OwnerBack] = {}
        self._opens: dict[str, float] = {}
        self._seen_at = -math.inf

    def note(self, now: float) -> None:
        """Look at all bids: who has come back, whose time is over, who has left."""
        back = {node: self._returning(bid, now) for node, bid in self._bids.items() if _is_back(bid, now)}
        left = [one for node, one in self._back.items() if node not in back]
        # Who is back as before is the same object.
        known, seen_at = self._back, self._seen_at
        news = {node for node, one in back.items() if one is not known.get(node) or seen_at < one.due <= now}
        self._back, self._seen_at = back, now
        self._opens = {node: opens for node, opens in self._opens.items() if opens > now}
        closing = {one.node: now + QUIET_SECONDS for one in left if one.on_return is OnReturn.EVICT}
        if closing:
            self._opens |= closing
            self._changed()
        if news:
            self._returned(news)

    def back(self, node: str) -> OwnerBack | None:
        """What is known of an owner who is back on a node."""
        return self._back.get(node)

    def back_since(self, bid: BidFact, now: float) -> float | None:
        """What the bid's status should say of when its owner came back; nothing where that interrupts nobody."""
        if bid.on_return is not OnReturn.EVICT or bid.node not in self._bids or not _is_back(bid, now):
            return None
        back = self._back.get(bid.node)
        return bid.owner_back_since if back is None else back.since

    def wants_pace(self, node: str) -> bool:
        """Whether the owner of a node is back, and members there are to leave most of its CPU to him."""
        back = self._back.get(node)
        return back is not None and back.on_return is OnReturn.PACE

    def opens_at(self, node: str) -> float:
        """When a node may take new members as far as its owner goes: infinite while the owner is present."""
        bid = self._bids.get(node)
        return math.inf if bid is not None and bid.owner_present else self._opens.get(node, -math.inf)

    def next_due(self, now: float) -> float:
        """The next time at which an owner is expected back, or members' time is over where one is."""
        times = [bid.available_until for bid in self._bids.values() if bid.available_until is not None]
        times += [one.due for one in self._back.values()]
        return min((time for time in times if time > now), default=math.inf)

    def _returning(self, bid: BidFact, now: float) -> OwnerBack:
        known = self._back.get(bid.node)
        if known is not None and known.on_return is bid.on_return and known.grace_seconds == bid.grace_seconds:
            return known
        since = _seen_since(bid, now) if known is None else known.since
        return OwnerBack(node=bid.node, since=since, on_return=bid.on_return, grace_seconds=bid.grace_seconds)


def _is_back(bid: BidFact, now: float) -> bool:
    return bool(bid.owner_present) or (bid.available_until is not None and bid.available_until <= now)


def _seen_since(bid: BidFact, now: float) -> float:
    """Since when the owner is back whom this process sees for the first time: maybe another one saw him before."""
    kept = bid.owner_back_since
    if kept is not None and now - _LONGEST_GRACE_SECONDS <= kept <= now:
        return kept
    return now if bid.available_until is None else min(now, bid.available_until)
