"""The state of one plan: the resources that are still free at each time, after the decisions so far.

A gang may be planned for later when it ends sooner that way. It then claims its nodes from its start to its finish.
Gangs behind it may use these nodes before, if they end by then. So no gang in front is ever delayed. A gang may fit
only after other gangs or pods have ended at an unknown time. It may then hold nodes (``holds``), and starts at the
latest when the pods on these nodes have ended. A gang without a node hold may wait for ever behind later gangs.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Self, TypeVar

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.choosing.choice import Choice, Chooser
from coschedule.queue.choosing.chooser import chooser_of
from coschedule.queue.choosing.own_speeds import copies_for, own_snapshot, own_timeline
from coschedule.queue.choosing.plain import PlainChooser
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.feasible.topology import Topology
from coschedule.queue.keeping.fitting_places import fitting, those_with_room
from coschedule.queue.keeping.kept_choice import kept_choice
from coschedule.queue.keeping.kept_places import Keeping, Place, claims_of, given_back, place_of
from coschedule.queue.owners.choosing import choose_among_risks, loss_of, seen_by, without_risk
from coschedule.queue.owners.hazards import Hazards, hazards_of
from coschedule.queue.owners.safer import RISKS, with_safer
from coschedule.queue.planner.after_all_ends import AtLast, emptied
from coschedule.queue.planner.empty_nodes import EmptyNodes
from coschedule.queue.planner.known_refusals import KnownRefusals
from coschedule.queue.planner.nominated import by_urgency, claims_of_pods, count_in_front
from coschedule.queue.planner.observer import Observer
from coschedule.queue.planner.placing import Placing
from coschedule.queue.planner.reading import read_constraints
from coschedule.queue.planner.turn import Turn
from coschedule.queue.planner.unplaced import PlanTimelines, closing, held_on, refusal_on
from coschedule.queue.planner.windows_and_releases import expected_timeline
from coschedule.queue.planner.without_end import WithoutEnd
from coschedule.queue.problem.decisions import Decision, Hold, Placement, Unplaceable
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.open_ended import none_open_ended
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.problem.refusals import PlanningFailed, TooManyCombinations, TopologiesCross
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.search.candidates import Outline
from coschedule.queue.search.effort import Account
from coschedule.queue.shares.dealing import Charged
from coschedule.queue.slots.claims import Claim
from coschedule.queue.slots.kept import stretches_for
from coschedule.queue.slots.open_slots import slots_now
from coschedule.queue.slots.timeline import Timeline

Rescue = Callable[[GangKey, Exception], None]
T = TypeVar("T")


class Planner:
    """The state of one plan; forks of it are independent."""

    def __init__(self, snapshot: Snapshot, observer: Observer, rescue: Rescue | None) -> None:
        self._snapshot = snapshot
        self._observer = observer
        self._rescue = rescue
        self._index = snapshot.nodes.index
        self._feasibility = Feasibility(snapshot.nodes)
        self._topology = Topology(snapshot.nodes)
        self._hazards = hazards_of(snapshot.forecasts)
        self._read = read_constraints(snapshot.gangs, self._feasibility, skipping_errors=rescue is not None)
        self._at_last = AtLast(snapshot, self._read.distinct_masks)
        expected = partial(_expected, masks=self._read.distinct_masks, hazards=self._hazards, risks=_risks(snapshot))
        self._at_first = self._timeline = expected(snapshot)
        # These refer to no planner: cycles of references are freed by the garbage collector only, possibly hours later.
        self._empty_nodes = EmptyNodes(lambda: expected(emptied(snapshot)), self._feasibility, self._topology)
        self._without_end = WithoutEnd(of_unknown_end=snapshot.someday, hold=none_open_ended())
        self._known_refusals = KnownRefusals(timeline=self._timeline, without_end=self._without_end)
        self._may_hold = snapshot.most_holding
        self._rank_of = np.argsort(self._timeline.node)
        self._placing = Placing(snapshot, self._timeline.node, self._rank_of, self._hazards)
        self._nominated = by_urgency(snapshot.nominated)
        self.charged = Charged.nothing(snapshot.shares)
        self.account = Account()
        """The steps spent in all forks."""

    @property
    def now(self) -> float:
        """The time at which the plan is made."""
        return self._snapshot.now

    @property
    def refused(self) -> Mapping[GangKey, Unplaceable]:
        """The gangs that are not planned, as their constraints are too long to be read."""
        return {gang: Unplaceable(gang=gang, refusal=refusal) for gang, refusal in self._read.refused.items()}

    def welcome(self, gangs: Iterable[PendingGang]) -> None:
        """Begin with the gangs of the next priority: steps are reserved for each of their tenants."""
        self.account.welcome(gang.key for gang in gangs)

    def charge(self, gangs: Iterable[PendingGang], decisions: Iterable[Decision]) -> None:
        """Charge the decisions about these gangs, which are all of one priority, to their groups."""
        by_key = {gang.key: gang for gang in gangs}
        self.charged = self.charged.after((by_key[one.gang], one) for one in decisions)

    def fork(self) -> Self:
        """Return a planner that continues from here and leaves this one as it is."""
        # The objects that a planner refers to are replaced, never changed. All forks share the account. They share the
        # refusals until they claim something.
        self._refusals()
        return copy(self)

    def decide(self, gang: PendingGang) -> Decision:
        """Decide on the next gang and claim its placement, which starts by its promise where that is possible."""
        return self._guarded(self._decide, gang)

    def keep(self, gangs: Sequence[PendingGang], *, apart: Collection[GangKey]) -> Keeping[Self]:
        """Claim the previous placements of gangs of one priority in forks, as far as there still is room for them.

        Gangs ``apart`` will also be planned in other ways, so one fork is without them.
        """
        if gangs:
            self._let_in_front_of(gangs[0])
        places = list(self._places(gangs))
        find_slots = partial(self._find_slots, [place.gang for place in places if place.gang.key in apart])
        fits = fitting(places, apart, self._timeline, find_slots)
        beside = self.fork()
        beside.go_on([place for place in fits.places if place.gang.key not in apart], fits.beside)
        whole = self.fork()
        whole.go_on(fits.places, fits.whole)
        return Keeping({place.gang.key: place for place in fits.places}, fits.whole, whole, beside)

    def go_on(self, places: Sequence[Place], timeline: Timeline) -> None:
        """Continue with a timeline on which these places are claimed."""
        self._timeline = timeline
        owned = [(place.gang.key, claim) for place in places for claim in place.claims]
        self._without_end = self._without_end.taking(owned, timeline.node)

    def find_slots(self, gangs: Iterable[PendingGang]) -> None:
        """Cache the slots of gangs, so that each fork only computes the slots that have changed."""
        self._find_slots(gangs, self._timeline)

    def take(self, places: Sequence[Place]) -> None:
        """Claim the kept places of gangs of one priority."""
        if places:
            self._let_in_front_of(places[0].gang)
        self.go_on(places, self._timeline.claimed_all(claims_of(places)))

    def keep_beside(
        self, keeping: Keeping[Self], gone: Collection[GangKey], placed: Sequence[tuple[PendingGang, Placement]]
    ) -> list[Place]:
        """Continue with the kept places, except those of gangs ``gone``, and with the gangs ``placed``.

        Returns the kept places for which there still is room.
        """
        given_up = [place for key, place in keeping.places.items() if key in gone]
        claims = [claim for gang, placement in placed for claim in self._placing.claims(gang, placement)]
        claimed = keeping.claimed.claimed_all([*given_back(claims_of(given_up)), *claims])
        kept = those_with_room([place for key, place in keeping.places.items() if key not in gone], claimed)
        self.go_on(kept.places, kept.whole)
        return kept.places

    def placement(self, place: Place) -> Placement:
        """Return a kept place as a placement."""
        gang, choice = place.gang, place.choice
        if choice.outline.start <= self.now:
            choice = replace(choice, alternative=self._alternative_to(place))
        return self._placing.placement(gang, choice, _unchanged_members(gang))

    def tried(self, ask: Callable[[PendingGang], T], gang: PendingGang) -> T | None:
        """Return ``ask(gang)``. With ``rescue``, return None if ``ask`` raises an exception.

        The gang then raises again when it is planned, and ``rescue`` gets that exception.
        """
        try:
            return ask(gang)
        except Exception:
            if self._rescue is None:
                raise
            return None

    def may_do_better(self, gang: PendingGang, decision: Decision) -> bool:
        """Return whether a placed gang starts now, or starts later but may have room for its fewest members now."""
        if not isinstance(decision, Placement) or not decision.start < decision.finish < np.inf:
            return False
        return decision.start <= self.now or self._may_fit_now(gang)

    def chosen_anew(self, gang: PendingGang, decision: Decision) -> Decision:
        """Decide again on a placed gang. It never starts later, and keeps a placement that is the best."""
        assert isinstance(decision, Placement), "only placed gangs are chosen again"
        bound = replace(gang, promised=min(gang.promised, decision.start))
        return self._guarded(partial(self._chosen_anew, decision), bound)

    def follow(self, gang: PendingGang, decision: Decision) -> None:
        """Claim the decision of another plan of the same snapshot."""
        self._let_in_front_of(gang)
        if isinstance(decision, Placement):
            self._take(self._placing.owned_claims([(gang, decision)]))
        elif decision.hold is not None:
            ranks = self._rank_of[[self._index[name] for name in decision.hold.nodes]]
            self._hold(gang.key, ranks, decision.hold.start)

    def follow_all(self, placed: Sequence[tuple[PendingGang, Placement]]) -> None:
        """Claim the placements of another plan of the same snapshot, for gangs of one priority, all at once."""
        if placed:
            self._let_in_front_of(placed[0][0])
            self._take(self._placing.owned_claims(placed))

    def turn(self, gang: PendingGang) -> Turn:
        """Return the turn of the gang that is planned next, with the timelines for it."""
        self._let_in_front_of(gang)
        return Turn(
            gang=gang,
            chooser=self._chooser(gang),
            snapshot=own_snapshot(gang, self._snapshot),
            feasibility=self._feasibility,
            at_first=seen_by(gang, self._at_first),
            by_now=seen_by(gang, self._timeline),
        )

    def _find_slots(self, gangs: Iterable[PendingGang], timeline: Timeline) -> None:
        for gang in gangs:
            for role in gang.roles:
                request = np.array(role.request, dtype=np.int64)
                stretches_for(timeline, request, self._feasibility.mask(role.constraints))

    def _may_fit_now(self, gang: PendingGang) -> bool:
        """Return whether there are slots now for the fewest members of each role, however soon they end."""
        return gang.not_before <= self.now and all(
            slots_now(self._timeline, np.array(role.request, dtype=np.int64), self._feasibility.mask(role.constraints))
            >= role.sizes.least
            for role in gang.roles
        )

    def _guarded(self, decide: Callable[[PendingGang], Decision], gang: PendingGang) -> Decision:
        """Decide on a gang. If that raises, claim nothing; with ``rescue``, return a refusal."""
        before = self.fork()
        try:
            return decide(gang)
        except Exception as error:
            if self._rescue is None:
                raise
            self._go_back_to(before)
            self._rescue(gang.key, error)
            return failed(gang.key, error)

    def _go_back_to(self, before: Self) -> None:
        """Undo the decisions since a fork; the steps spent on them still count."""
        vars(self).update(vars(before))

    def _places(self, gangs: Sequence[PendingGang]) -> Iterator[Place]:
        """List the kept places of gangs, with or without room; a gang that raises here also raises when planned."""
        for gang in gangs:
            place = self.tried(self._place_kept_by, gang)
            if place is not None:
                yield place

    def _place_kept_by(self, gang: PendingGang) -> Place | None:
        choice = kept_choice(gang, self._timeline, self._feasibility, self._topology, self._rank_of)
        if choice is None or self._is_at_risk(gang, choice):
            return None
        return place_of(gang, choice)

    def _is_at_risk(self, gang: PendingGang, choice: Choice) -> bool:
        """Return whether a node owner may come back during the run; then the gang is planned again."""
        if self._hazards is None:
            return False
        return loss_of(choice, gang, self._timeline, self._hazards).probability > 0

    def _decide(self, gang: PendingGang) -> Decision:
        self._let_in_front_of(gang)
        known = self._refusals().of(gang)
        if known is not None:
            return known
        chooser = self._chooser(gang)
        if isinstance(chooser, TopologiesCross | TooManyCombinations):
            return Unplaceable(gang=gang.key, refusal=chooser, fits_empty=False)
        choice = choose_among_risks(chooser, self._timeline, self._hazards)
        if choice is not None:
            return self._place(gang, choice)
        if gang.promised < np.inf:
            return self._decide(replace(gang, promised=np.inf))
        return self._refuse(chooser)

    def _chooser(self, gang: PendingGang) -> Chooser | TopologiesCross | TooManyCombinations:
        """Return the chooser for a gang.

        The gang first pays for copies of timelines: for its own timeline, and for the timeline with its claims. The
        choice then has an effort of its own, with all its free steps.
        """
        self.account.effort(gang.key).spend(copies_for(gang, self._timeline) * len(self._timeline.node))
        consider, effort = partial(self._observer.considered, gang), self.account.effort(gang.key)
        return chooser_of(gang, self._feasibility, self._topology, consider, effort)

    def _chosen_anew(self, decision: Placement, gang: PendingGang) -> Decision:
        """Decide again on a gang, without the claims of its placement; restore them if it keeps the placement."""
        self.find_slots([gang])
        with_it = self.fork()
        self._timeline = self._timeline.claimed_all(given_back(self._placing.claims(gang, decision)))
        standing = self._standing(decision, gang)
        if standing is None:
            made = self._decide(gang)
            # The kept run may be shorter than a newly planned one, and fit where no other does.
            if isinstance(made, Placement) and made.start <= decision.start:
                return made
        self._go_back_to(with_it)
        return standing or decision

    def _standing(self, decision: Placement, gang: PendingGang) -> Placement | None:
        """Return a placement that is not claimed here, with its alternative; None if a better one may exist."""
        chooser = self._chooser(gang)
        if self._hazards is not None or not isinstance(chooser, PlainChooser) or gang.deadline is not None:
            return None
        value = gang.price.value(decision.start, decision.finish, decision.size)
        chosen = Outline(value, decision.size, decision.start, decision.finish)
        standing = chooser.standing(own_timeline(gang, self._timeline), chosen)
        return self._placing.beside(gang, decision, standing.alternative) if standing.is_best else None

    def _alternative_to(self, place: Place) -> Outline | None:
        """Return the alternative to a kept place; None for gangs with several roles or terms."""
        chooser = self._chooser(place.gang)
        if not isinstance(chooser, PlainChooser):
            return None
        self.find_slots([place.gang])
        without_it = without_risk(place.gang, self._timeline).claimed_all(given_back(place.claims))
        return chooser.alternative(own_timeline(place.gang, without_it), place.choice.outline)

    def _place(self, gang: PendingGang, choice: Choice) -> Placement:
        self._take([(gang.key, claim) for claim in place_of(gang, choice).claims])
        return self._placing.placement(gang, choice)

    def _take(self, owned: Sequence[tuple[GangKey, Claim]]) -> None:
        """Claim on the timeline, and record the claims that have no end."""
        self._timeline = self._timeline.claimed_all([claim for _, claim in owned])
        self._without_end = self._without_end.taking(owned, self._timeline.node)

    def _let_in_front_of(self, gang: PendingGang) -> None:
        """Claim the resources of nominated pods of at least the gang's priority."""
        count = count_in_front(self._nominated, gang.priority)
        in_front, self._nominated = self._nominated[:count], self._nominated[count:]
        self._timeline = self._timeline.claimed_all(claims_of_pods(in_front, self._rank_of, self._snapshot.now))

    def _refuse(self, chooser: Chooser) -> Unplaceable:
        ground = PlanTimelines(
            snapshot=self._snapshot,
            feasibility=self._feasibility,
            topology=self._topology,
            at_first=self._at_first,
            by_now=self._timeline,
            at_last=self._at_last,
            without_end=self._without_end,
        )
        gang, refusal = chooser.gang.key, refusal_on(ground, chooser)
        fits_empty = self._empty_nodes.fit(chooser.gang, refusal, self.account.effort(gang))
        held = held_on(ground, chooser, refusal) if self._may_hold else None
        if held is None:
            refused = Unplaceable(gang=gang, refusal=refusal, fits_empty=fits_empty)
            if fits_empty is not None and not chooser.effort.was_ever_over:
                self._refusals().remember(chooser.gang, refused)
            return refused
        self._hold(gang, held.ranks, held.start)
        names = tuple(sorted(self._placing.name(rank) for rank in held.ranks.tolist()))
        hold = Hold(nodes=names, start=held.start)
        return Unplaceable(gang=gang, refusal=refusal, hold=hold, fits_empty=fits_empty)

    def _refusals(self) -> KnownRefusals:
        """Return the refusals that are known on the timeline as it is now."""
        if not self._known_refusals.are_of(self._timeline, self._without_end):
            self._known_refusals = KnownRefusals(timeline=self._timeline, without_end=self._without_end)
        return self._known_refusals

    def _hold(self, gang: GangKey, ranks: IntArray, start: float) -> None:
        self._may_hold -= 1
        self._without_end = self._without_end.holding(gang, self._timeline.node[ranks])
        self._timeline = self._timeline.claimed(closing(ranks, start, resources=len(self._snapshot.resources)))


def _expected(
    snapshot: Snapshot, *, masks: Sequence[BoolArray], hazards: Hazards | None, risks: Sequence[float]
) -> Timeline:
    """Build the timeline without waiting gangs, with a safer timeline for each of the risks."""
    return with_safer(expected_timeline(snapshot, masks), hazards, risks=risks)


def _risks(snapshot: Snapshot) -> Sequence[float]:
    """Return the risks that some gang of the snapshot may take."""
    some_may = any(gang.interruptible is not Interruptible.NEVER for gang in snapshot.gangs)
    return RISKS if some_may else RISKS[:1]


def _unchanged_members(gang: PendingGang) -> tuple[Members, ...]:
    """Return the kept members; () where they have unequal parts, which also depend on the work."""
    is_whole = not any(role.load.is_unequal for role in gang.roles)
    return gang.kept.members if gang.kept is not None and is_whole else ()


def failed(gang: GangKey, error: Exception) -> Unplaceable:
    """Return the decision on a gang that raised an exception when it was planned."""
    return Unplaceable(gang=gang, refusal=PlanningFailed(error=type(error).__name__, message=str(error)))
