"""The state of one plan: the resources that are still free at each time, after the decisions so far.

A gang may be planned for later when it ends sooner that way. It then claims its nodes from its start to its finish.
Gangs behind it may use these nodes before, if they end by then. So no gang in front is ever delayed. A gang may fit
only after other gangs or pods have ended at an unknown time. It may then hold nodes (``holds``), and starts at the
latest when the pods on these nodes have ended. A gang without a node hold may wait for ever behind later gangs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Self, TypeVar

import numpy as np

from coschedule.queue.choosing.choice import Choice, Chooser
from coschedule.queue.choosing.chooser import chooser_of
from coschedule.queue.choosing.own_speeds import copies_for, own_snapshot, own_timeline
from coschedule.queue.choosing.plain import PlainChooser
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.keeping.kept_places import Place, claims_of, place_of
from coschedule.queue.owners.choosing import choose_among_risks, seen_by
from coschedule.queue.planner.claimed import Claimed, nothing_claimed
from coschedule.queue.planner.known_refusals import KnownRefusals
from coschedule.queue.planner.observer import Observer
from coschedule.queue.planner.plan_facts import plan_facts
from coschedule.queue.planner.reading import read_constraints
from coschedule.queue.planner.turn import Turn
from coschedule.queue.planner.unplaced import held_on, refusal_on
from coschedule.queue.problem.decisions import Decision, Hold, Placement, Unplaceable
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.refusals import PlanningFailed, TooManyCombinations, TopologiesCross
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.search.candidates import Outline
from coschedule.queue.search.effort import Account
from coschedule.queue.shares.dealing import Charged
from coschedule.queue.slots.claims import Claim
from coschedule.queue.slots.timeline import Timeline

Rescue = Callable[[GangKey, Exception], None]
T = TypeVar("T")


class Planner:
    """The state of one plan; forks of it are independent."""

    def __init__(self, snapshot: Snapshot, observer: Observer, rescue: Rescue | None) -> None:
        self._observer = observer
        self._rescue = rescue
        feasibility = Feasibility(snapshot.nodes)
        self._read = read_constraints(snapshot.gangs, feasibility, skipping_errors=rescue is not None)
        self.facts = plan_facts(snapshot, feasibility, self._read.distinct_masks)
        """What all decisions share; no decision changes it."""
        self.claimed = nothing_claimed(snapshot, self.facts.at_first)
        """What the decisions so far have claimed."""
        self._known_refusals = _none_known(self.claimed)
        self.charged = Charged.nothing(snapshot.shares)
        self.account = Account()
        """The steps spent in all forks."""

    @property
    def now(self) -> float:
        """The time at which the plan is made."""
        return self.facts.snapshot.now

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
        """Decide on the next gang, and claim its placement or node hold. The gang starts by its promise if possible."""
        return self._guarded(self._decide, gang)

    def go_on(self, places: Sequence[Place], timeline: Timeline) -> None:
        """Continue with a timeline on which these places are claimed."""
        self.claimed = self.claimed.with_places(places, timeline)

    def find_slots(self, gangs: Iterable[PendingGang]) -> None:
        """Cache the slots of gangs, so that each fork only computes the slots that have changed."""
        self.facts.find_slots(gangs, self.claimed.timeline)

    def take(self, places: Sequence[Place]) -> None:
        """Claim the kept places of gangs of one priority."""
        if places:
            self.let_in_front_of(places[0].gang)
        self.go_on(places, self.claimed.timeline.claimed_all(claims_of(places)))

    def let_in_front_of(self, gang: PendingGang) -> None:
        """Claim the resources of nominated pods of at least the gang's priority."""
        self.claimed = self.claimed.with_nominated(gang.priority, self.facts.placing.rank_of)

    def tried(self, ask: Callable[[PendingGang], T], gang: PendingGang) -> T | None:
        """Return ``ask(gang)``. With ``rescue``, return None if ``ask`` raises an exception.

        When the gang is planned later, this raises the exception again, and ``rescue`` gets the exception.
        """
        try:
            return ask(gang)
        except Exception:
            if self._rescue is None:
                raise
            return None

    def may_do_better(self, gang: PendingGang, decision: Decision) -> bool:
        """Return whether a placed gang of known end starts now, or may have room for its fewest members now.

        The result is False for any other gang.
        """
        if not isinstance(decision, Placement) or not decision.start < decision.finish < np.inf:
            return False
        return decision.start <= self.now or self.facts.may_fit_now(gang, self.claimed.timeline)

    def chosen_anew(self, gang: PendingGang, decision: Decision) -> Decision:
        """Decide again on a placed gang, which starts no later than before; the placement stays if it is the best."""
        assert isinstance(decision, Placement), "only placed gangs are chosen again"
        bound = replace(gang, promised=min(gang.promised, decision.start))
        return self._guarded(partial(self._chosen_anew, decision), bound)

    def follow(self, gang: PendingGang, decision: Decision) -> None:
        """Claim the placement or the node hold of a decision of another plan of the same snapshot."""
        self.let_in_front_of(gang)
        if isinstance(decision, Placement):
            self._claim(self.facts.placing.owned_claims([(gang, decision)]))
        elif decision.hold is not None:
            ranks = self.facts.placing.ranks(decision.hold.nodes)
            self.claimed = self.claimed.with_hold(gang.key, ranks, decision.hold.start)

    def follow_all(self, placed: Sequence[tuple[PendingGang, Placement]]) -> None:
        """Claim the placements of another plan of the same snapshot, for gangs of one priority, all at once."""
        if placed:
            self.let_in_front_of(placed[0][0])
            self._claim(self.facts.placing.owned_claims(placed))

    def chooser(self, gang: PendingGang) -> Chooser | TopologiesCross | TooManyCombinations:
        """Return the chooser for a gang.

        This first spends steps of the gang for copies of timelines: its own timeline, and the timeline with its claims.
        The choice then has an effort of its own, with all its free steps.
        """
        facts, timeline = self.facts, self.claimed.timeline
        self.account.effort(gang.key).spend(copies_for(gang, timeline) * len(timeline.node))
        consider, effort = partial(self._observer.considered, gang), self.account.effort(gang.key)
        return chooser_of(gang, facts.feasibility, facts.topology, consider, effort)

    def turn(self, gang: PendingGang) -> Turn:
        """Return the turn of the gang that is planned next, with the timelines for it."""
        self.let_in_front_of(gang)
        return Turn(
            gang=gang,
            chooser=self.chooser(gang),
            snapshot=own_snapshot(gang, self.facts.snapshot),
            feasibility=self.facts.feasibility,
            at_first=seen_by(gang, self.facts.at_first),
            by_now=seen_by(gang, self.claimed.timeline),
        )

    def _guarded(self, decide: Callable[[PendingGang], Decision], gang: PendingGang) -> Decision:
        """Decide on a gang. If that raises an exception, claim nothing; with ``rescue``, return a refusal."""
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

    def _decide(self, gang: PendingGang) -> Decision:
        self.let_in_front_of(gang)
        known = self._refusals().of(gang)
        if known is not None:
            return known
        chooser = self.chooser(gang)
        if isinstance(chooser, TopologiesCross | TooManyCombinations):
            return Unplaceable(gang=gang.key, refusal=chooser, fits_empty=False)
        choice = choose_among_risks(chooser, self.claimed.timeline, self.facts.hazards)
        if choice is not None:
            return self._place(gang, choice)
        if gang.promised < np.inf:
            return self._decide(replace(gang, promised=np.inf))
        return self._refuse(chooser)

    def _chosen_anew(self, decision: Placement, gang: PendingGang) -> Decision:
        """Decide again on a gang, without the claims of its placement; restore them if it keeps the placement."""
        self.find_slots([gang])
        with_it = self.fork()
        self.claimed = self.claimed.without([*self.facts.placing.claims(gang, decision)])
        standing = self._standing(decision, gang)
        if standing is None:
            made = self._decide(gang)
            # The kept run may be shorter than a newly planned one, and fit where no other does.
            if isinstance(made, Placement) and made.start <= decision.start:
                return made
        self._go_back_to(with_it)
        return standing or decision

    def _standing(self, decision: Placement, gang: PendingGang) -> Placement | None:
        """Return a placement with its alternative; the timeline must not have the claims of the placement.

        Return None if there may be a better placement that starts no later.
        """
        chooser = self.chooser(gang)
        if self.facts.hazards is not None or not isinstance(chooser, PlainChooser) or gang.deadline is not None:
            return None
        value = gang.price.value(decision.start, decision.finish, decision.size)
        chosen = Outline(value, decision.size, decision.start, decision.finish)
        standing = chooser.standing(own_timeline(gang, self.claimed.timeline), chosen)
        return self.facts.placing.beside(gang, decision, standing.alternative) if standing.is_best else None

    def _place(self, gang: PendingGang, choice: Choice) -> Placement:
        self._claim([(gang.key, claim) for claim in place_of(gang, choice).claims])
        return self.facts.placing.placement(gang, choice)

    def _claim(self, owned: Sequence[tuple[GangKey, Claim]]) -> None:
        self.claimed = self.claimed.with_claims(owned)

    def _refuse(self, chooser: Chooser) -> Unplaceable:
        gang, timelines = chooser.gang, self.facts.timelines(self.claimed)
        refusal = refusal_on(timelines, chooser)
        fits_empty = self.facts.empty_nodes.fit(gang, refusal, self.account.effort(gang.key))
        held = held_on(timelines, chooser, refusal) if self.claimed.holds_left else None
        if held is None:
            refused = Unplaceable(gang=gang.key, refusal=refusal, fits_empty=fits_empty)
            if fits_empty is not None and not chooser.effort.was_ever_over:
                self._refusals().remember(gang, refused)
            return refused
        self.claimed = self.claimed.with_hold(gang.key, held.ranks, held.start)
        hold = Hold(nodes=self.facts.placing.names(held.ranks), start=held.start)
        return Unplaceable(gang=gang.key, refusal=refusal, hold=hold, fits_empty=fits_empty)

    def _refusals(self) -> KnownRefusals:
        """Return the refusals that are known on the timeline as it is now."""
        if not self._known_refusals.are_of(self.claimed.timeline, self.claimed.without_end):
            self._known_refusals = _none_known(self.claimed)
        return self._known_refusals


def _none_known(claimed: Claimed) -> KnownRefusals:
    return KnownRefusals(timeline=claimed.timeline, without_end=claimed.without_end)


def failed(gang: GangKey, error: Exception) -> Unplaceable:
    """Return the decision on a gang that raised an exception when it was planned."""
    return Unplaceable(gang=gang, refusal=PlanningFailed(error=type(error).__name__, message=str(error)))
