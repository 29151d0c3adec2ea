"""The share auction: applications bid for workstations with their measurements [C 5.7.3, page 73; 6.3.3].

Objective: raise speed-ups that are unknown in advance. A level must be visited before a bid for it is possible. So new
applications go first, then the largest gain, then applications whose next level is unknown try free workstations.

Rules, in a form that reproduces each action of tables 5.1 to 5.4. A split is a move to a higher level, and a merge is a
move to a lower one. FB, BB and PB are the bids in ``applications``.
1. Arrival: an application gets the highest level below the top whose workstations are free. If no level is free, it is
   refused. (An application with one level arrives at this level.)
2. Auction: each participant first records the unit time at its level.
3. If the participant's last move was a split and the unit time did not fall, it merges back and leaves the auction.
4. Action 1 serves applications at their first auction, in order. Such an application gets the highest level whose
   additional workstations are free. If there is none, it goes one level up with a donor, which goes down by the fewest
   levels that free enough. The donor has the least known BB, then the least PB, then the first place in the order.
5. Action 2 happens once, for the application with the largest known FB, if FB is above 1. It goes up to free
   workstations. If too few are free, it takes workstations of the donor with the least known BB, if FB > psi * BB.
6. Action 3 serves applications whose next level was never visited, the largest PB first. They get only free
   workstations.
7. An application that takes or gives leaves the auction. Ties are decided by order.

Theorem: if psi is at least 1, FB > 1 is required, and unit times do not change, auctions reach a stable state. Actions
1 and 3 visit a level for the first time. Each move of Action 2 multiplies the product of all speed-ups by more than 1,
and a merge back does not lower it. The stable state is Pareto efficient only in the weak sense. As only the largest bid
is tried, a smaller one that free workstations could serve may starve. ``shares.divide_shares`` divides exactly.

O(applications**2 * levels) for each auction; all comparisons are exact.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple, assert_never

from coschedule.model.errors import InvalidValueError
from coschedule.problems.shum.applications import Application
from coschedule.problems.shum.events import (
    Arrive,
    AuctionRules,
    Depart,
    Donation,
    Event,
    HoldAuction,
    Loaders,
    Move,
    MoveKind,
    Outcome,
    SetUnitTimes,
)


def replay(rules: AuctionRules, events: Iterable[Event]) -> tuple[Outcome, ...]:
    """Apply the events one after the other; InvalidValueError as ``ShareMarket.apply``."""
    market = ShareMarket(rules)
    return tuple(market.apply(event) for event in events)


class ShareMarket:
    """A cluster that is shared by auctions; it turns events into outcomes."""

    def __init__(self, rules: AuctionRules) -> None:
        self._rules = rules
        self._applications: dict[str, Application] = {}
        self._loaded = 0

    def apply(self, event: Event) -> Outcome:
        """Apply one event and return its outcome.

        Invalid events raise InvalidValueError and change nothing. An arrival must not name an application that is
        present, and another event must not name one that is not present. There must be one unit time for each level.
        Events may name a refused application, without effect, and it may arrive again.
        """
        level: int | None = None
        moves: tuple[Move, ...] = ()
        match event:
            case Arrive():
                level = self._arrive(event)
            case Depart(name=name):
                self._find(name, "name")
                del self._applications[name]
            case Loaders(workstations=workstations):
                self._loaded = workstations
            case SetUnitTimes():
                self._set_unit_times(event)
            case HoldAuction():
                moves = self._hold(event)
            case _:
                assert_never(event)
        return Outcome(level=level, moves=moves, allocation=self._allocation(), available=self._available())

    def _arrive(self, event: Arrive) -> int | None:
        """Apply rule 1: arrival."""
        if event.name in self._allocation():
            raise InvalidValueError("name", "is the name of an application that is here")
        below_the_top = range(max(len(event.levels) - 2, 0), -1, -1)
        fitting = (level for level in below_the_top if event.levels[level] <= self._available())
        level = next(fitting, None)
        # An application that was refused before arrives as a new one, as the last in order.
        self._applications.pop(event.name, None)
        self._applications[event.name] = Application(
            name=event.name, workstations=event.levels, unit_times=event.unit_times, level=level
        )
        return level

    def _set_unit_times(self, event: SetUnitTimes) -> None:
        application = self._find(event.name, "name")
        levels = len(application.workstations)
        if len(event.unit_times) != levels:
            raise InvalidValueError("unit_times", f"must hold {levels} times, one for each level")
        application.unit_times = event.unit_times
        application.learn(event.also_known)

    def _hold(self, event: HoldAuction) -> tuple[Move, ...]:
        first = {name: self._find(name, f"order[{index}]") for index, name in enumerate(event.order)}
        exempt = {self._find(name, f"exempt[{index}]").name for index, name in enumerate(event.exempt)}
        ordered = [*first.values(), *(other for name, other in self._applications.items() if name not in first)]
        present = [each for each in ordered if each.level is not None and each.name not in exempt]
        return _Auction(self._rules, present, available=self._available()).hold()

    def _find(self, name: str, field: str) -> Application:
        if name not in self._applications:
            raise InvalidValueError(field, "must be the name of an application that has arrived and not departed")
        return self._applications[name]

    def _allocation(self) -> dict[str, int]:
        return {each.name: each.held for each in self._applications.values() if each.level is not None}

    def _available(self) -> int:
        return self._rules.total - self._loaded - sum(each.held for each in self._applications.values())


class _Offer(NamedTuple):
    """The offer of ``donor`` to go down to ``level``; ``loss`` is the BB of the donor, None if unknown."""

    donor: Application
    level: int
    loss: Fraction | None


def _reluctance(offer: _Offer) -> tuple[bool, Fraction]:
    """Return the order of offers: known BBs first, by BB, then the others by PB."""
    return (offer.loss is None, offer.donor.potential_bid() if offer.loss is None else offer.loss)


class _Auction:
    """One auction; ``_waiting`` are the participants that have neither taken nor given yet, in order."""

    def __init__(self, rules: AuctionRules, participants: list[Application], *, available: int) -> None:
        self._rules = rules
        self._waiting = list(participants)
        self._available = available
        self._moves: list[Move] = []

    def hold(self) -> tuple[Move, ...]:
        """Apply rules 2 to 7: hold the auction."""
        for each in self._waiting:
            each.learn([each.now])
        newcomers = [each for each in self._waiting if each.is_new]
        for each in newcomers:
            each.is_new = False
        for each in [one for one in self._waiting if one.split_in_vain]:
            self._merge_back(each)
        for each in newcomers:
            if each in self._waiting:
                self._serve_newcomer(each)
        self._serve_largest_forward_bid()
        self._serve_potential_bids()
        return tuple(self._moves)

    def _merge_back(self, one: Application) -> None:
        """Apply rule 3: return to the level before a split that gained nothing."""
        assert one.split_from is not None, "only a split is in vain"
        self._move(MoveKind.MERGE_BACK, one, one.split_from)

    def _serve_newcomer(self, one: Application) -> None:
        """Apply rule 4, Action 1."""
        higher = range(len(one.workstations) - 1, one.now, -1)
        for level in higher:
            if one.additional(level) <= self._available:
                self._move(MoveKind.FIRST_AUCTION, one, level)
                return
        if one.above is None:
            return
        offers = self._offers(one, one.above)
        if offers:
            self._move(MoveKind.FIRST_AUCTION, one, one.above, min(offers, key=_reluctance))

    def _serve_largest_forward_bid(self) -> None:
        """Apply rule 5, Action 2."""
        bids = [(bid, each) for each in self._waiting if (bid := each.forward_bid()) is not None]
        if not bids:
            return
        bid, one = max(bids, key=lambda item: item[0])
        if one.above is None or (self._rules.require_gain and bid <= 1):
            return
        if one.additional(one.above) <= self._available:
            self._move(MoveKind.FORWARD_BID, one, one.above)
            return
        offer = min(self._offers(one, one.above), key=_reluctance, default=None)
        if offer is not None and offer.loss is not None and bid > Fraction(self._rules.psi) * offer.loss:
            self._move(MoveKind.FORWARD_BID, one, one.above, offer)

    def _serve_potential_bids(self) -> None:
        """Apply rule 6, Action 3."""
        unvisited = [each for each in self._waiting if each.above is not None and each.above not in each.known]
        for one in sorted(unvisited, key=Application.potential_bid, reverse=True):
            if one.above is not None and one.additional(one.above) <= self._available:
                self._move(MoveKind.POTENTIAL_BID, one, one.above)

    def _offers(self, one: Application, level: int) -> list[_Offer]:
        """List the offers that would free the workstations that ``one`` lacks for ``level``, in order."""
        lacking = one.additional(level) - self._available
        donors = [(each, each.level_that_frees(lacking)) for each in self._waiting if each is not one]
        return [_Offer(each, lower, each.backward_bid(lower)) for each, lower in donors if lower is not None]

    def _move(self, kind: MoveKind, one: Application, level: int, offer: _Offer | None = None) -> None:
        """Move ``one`` to ``level``, after the donor of ``offer`` has gone down; rule 7."""
        donation = None
        if offer is not None:
            donation = Donation(name=offer.donor.name, from_level=offer.donor.now, to_level=offer.level)
            self._change_level(offer.donor, offer.level)
        self._moves.append(Move(kind=kind, name=one.name, from_level=one.now, to_level=level, donation=donation))
        self._change_level(one, level)

    def _change_level(self, one: Application, level: int) -> None:
        self._available += one.held - one.workstations[level]
        one.move(level)
        self._waiting.remove(one)
