"""Follows node owners: since when they are back, and when their nodes are open to gangs again.

An owner is back if the bid says so, or if the time has come at which the owner takes the node back. The bid decides
what happens to members there (``onReturn``). If an owner interrupts gangs, the bid's status has the time of the return,
for the next process. A time in the future, or older than the longest grace period, is ignored.

After an owner who interrupts gangs has left, the node stays closed for a while. So an owner who comes and goes
interrupts gangs at most once in that time.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain

from lockstep.facts.cluster.node import BidFact, OnReturn

QUIET_SECONDS = 600.0
"""In seconds: how long an owner whose return evicts members must be away before gangs may use the node again."""


# The maximum of gracePeriodSeconds in crds/make/nodebids.yaml.
_LONGEST_GRACE_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerBack:
    """The return of a node owner at the time of day ``since``; the bid says what happens to members there."""

    node: str
    since: float
    on_return: OnReturn
    grace_seconds: float

    @property
    def due(self) -> float:
        """When the grace period of the members is over."""
        return self.since + self.grace_seconds


class NodeOwners:
    """Follows node owners by the bids of their nodes.

    ``returned`` is called with nodes whose owners are back, and again when their terms change or the grace period is
    over. ``changed`` is called when an owner who interrupts gangs has left: the node opens later.
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

    def update(self, now: float) -> None:
        """Check all bids for owners who came back or left, and for grace periods that are over."""
        back = {node: self._returning(bid, now) for node, bid in self._bids.items() if _is_back(bid, now)}
        left = [one for node, one in self._back.items() if node not in back]
        # If an owner was back at the last check too, and the terms are the same, both mappings have the same object.
        known, seen_at = self._back, self._seen_at
        changed = {node for node, one in back.items() if one is not known.get(node) or seen_at < one.due <= now}
        self._back, self._seen_at = back, now
        self._opens = {node: opens for node, opens in self._opens.items() if opens > now}
        closing = {one.node: now + QUIET_SECONDS for one in left if one.on_return is OnReturn.EVICT}
        if closing:
            self._opens |= closing
            self._changed()
        if changed:
            self._returned(changed)

    @property
    def are_back(self) -> bool:
        """Whether the owner of any node is back."""
        return bool(self._back)

    def back(self, node: str) -> OwnerBack | None:
        """The return of the node's owner; None if the owner is not back."""
        return self._back.get(node)

    def back_since(self, bid: BidFact, now: float) -> float | None:
        """The time of the owner's return, for the bid's status; None if the owner is away or does not evict members."""
        if bid.on_return is not OnReturn.EVICT or bid.node not in self._bids or not _is_back(bid, now):
            return None
        back = self._back.get(bid.node)
        return bid.owner_back_since if back is None else back.since

    def wants_pace(self, node: str) -> bool:
        """Whether the owner of a node is back, and members there must leave most of its CPU to the owner."""
        back = self._back.get(node)
        return back is not None and back.on_return is OnReturn.PACE

    def opens_at(self, node: str) -> float:
        """When a node takes new members, by its bid and its owner.

        Infinity while the owner is present; minus infinity if the node is open.
        """
        bid, opens = self._bids.get(node), self._opens.get(node, -math.inf)
        if bid is None:
            return opens
        return math.inf if bid.owner_present else max(opens, bid.available_from or -math.inf)

    def taken_back_at(self, node: str) -> float:
        """The time by which members must have left a node; infinity if they may stay, as far as is known."""
        back, bid = self._back.get(node), self._bids.get(node)
        if back is not None:
            return back.due if back.on_return is OnReturn.EVICT else math.inf
        return math.inf if bid is None or bid.available_until is None else bid.available_until

    def next_due(self, now: float) -> float:
        """The next time at which an owner is expected back, a grace period is over, or a node opens.

        A node that opens must be noticed here, since no watch reports it, and running gangs may grow onto the node.
        """
        windows = (time for bid in self._bids.values() for time in (bid.available_from, bid.available_until))
        times = chain(windows, self._opens.values(), (one.due for one in self._back.values()))
        return min((time for time in times if time is not None and time > now), default=math.inf)

    def _returning(self, bid: BidFact, now: float) -> OwnerBack:
        known = self._back.get(bid.node)
        if known is not None and known.on_return is bid.on_return and known.grace_seconds == bid.grace_seconds:
            return known
        since = _seen_since(bid, now) if known is None else known.since
        return OwnerBack(node=bid.node, since=since, on_return=bid.on_return, grace_seconds=bid.grace_seconds)


def _is_back(bid: BidFact, now: float) -> bool:
    return bool(bid.owner_present) or (bid.available_until is not None and bid.available_until <= now)


def _seen_since(bid: BidFact, now: float) -> float:
    """The time of the owner's return: as an earlier process wrote it, or the end of the bid's window, or now."""
    kept = bid.owner_back_since
    if kept is not None and now - _LONGEST_GRACE_SECONDS <= kept <= now:
        return kept
    return now if bid.available_until is None else min(now, bid.available_until)
