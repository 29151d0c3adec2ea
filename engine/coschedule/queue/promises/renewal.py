"""Planning a queue again without breaking promises.

Problem: gangs of one priority have a previous plan and a promised start each. Something has changed. Find a plan in
which no gang starts after its promise, and the sum of finishes is small.

Method: make several plans, and take the best.

- The first plan keeps the previous plan. A gang that cannot keep its place is planned again on the remaining room, and
  so are new gangs.
- One plan for each of the ``weights`` plans the front of the queue again. Its order is submission plus a multiple of
  the least run time. Gangs behind the front keep their places, or get the places that the first plan found. A gang
  that would start after its promise moves to the head of the order. Then the order is tried again, a few times.
- If the best of these plans still breaks promises, one more plan begins with the gangs of these promises. All other
  gangs keep their places around them.

The best plan has the fewest gangs without a placement, then the fewest broken promises, then the least sum of finishes.
If plans are equal, the first is taken. So a promise is broken only if the previous plan has become impossible.

If groups share the nodes (``queue.shares``), only gangs in a front get a promise. Otherwise a long queue of one group
would keep all other groups waiting until its end. If gangs of several groups wait, each plan gives them turns, so an
order only permutes the gangs within a group. A front then also has the gangs with a promise that would start next: they
may start later. Gangs behind the front keep only promised places before the front is planned. The places of the first
plan do not follow the turns. So this plan is taken only if all others place fewer gangs, or break more promises.

Finally, some gangs that keep their place are planned again, as many as a front has. These gangs start now, or would fit
now. Each uses its own place and the room that the best plan leaves. So its nodes are chosen at the start, from all
nodes that are free by then, and no useful node stays idle. New gangs behind the front are planned last.
"""

import math
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from coschedule.queue.keeping.kept_places import Keeping, Place
from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Decision, Placement, Unplaceable
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.promises.in_turn import dealt_in_time, fair_front, in_turn, is_broken, kept_start
from coschedule.queue.promises.planned import Planned, with_promise
from coschedule.queue.shares.dealing import Charged

FRONT = 16
"""The number of gangs that are planned again in each order. In simulations of queues, more gained almost nothing."""

LONG_QUEUE = 500
"""From this many waiting gangs on, half a front is planned again: plans of long queues take longer."""

MOST_TRIES = 4
"""The number of orders of one front that are tried."""


class _Merit(NamedTuple):
    """The merit of a plan; the least is the best. With ``is_undealt``, its places do not follow the turns of groups."""

    unplaced: int
    broken: int
    is_undealt: bool
    finishes: float


class _Known(NamedTuple):
    """The gangs that keep places or are planned again, their places, and these places as placements.

    Gangs ``apart`` are planned again: they are in one of the fronts, or have no promise where groups take turns.
    """

    gangs: Sequence[PendingGang]
    apart: Collection[GangKey]
    keeping: Keeping[Planner]
    placements: Mapping[GangKey, Placement]

    def with_gangs(self, decisions: Iterable[Decision]) -> list[tuple[PendingGang, Decision]]:
        """Pair decisions about some of these gangs with the gangs."""
        by_key = {gang.key: gang for gang in self.gangs}
        return [(by_key[one.gang], one) for one in decisions]


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """Plans again: one order for each of the ``weights``; new promises are ``slack`` run times after the start."""

    weights: tuple[float, ...]
    slack: float

    def plan(self, planner: Planner, gangs: Sequence[PendingGang]) -> Planned:
        """Plan gangs of one priority, given in planning order."""
        fronts = self._fronts(planner, gangs)
        in_fronts = {gang.key for front in fronts for gang in front}
        known = _known(planner, gangs, in_fronts | _moving(planner, gangs))
        as_before = _as_before(known)
        best = self._best_order(planner, gangs, known, as_before, fronts)
        decisions = _decisions(planner, gangs, known, best, in_fronts if best is not as_before else frozenset())
        by_key = {gang.key: gang for gang in gangs}
        may_promise = by_key if planner.charged.is_of_one else in_fronts
        return Planned(best.planner, [self._promised(one, by_key[one.gang], may_promise) for one in decisions])

    def _fronts(self, planner: Planner, gangs: Sequence[PendingGang]) -> list[Sequence[PendingGang]]:
        """Return the front of each weight: the gangs that are planned again, in order."""
        run_times = [planner.tried(_run_time, gang) or 0.0 for gang in gangs]
        return [_front(gangs, run_times, weight, planner.charged) for weight in self.weights]

    def _best_order(
        self,
        planner: Planner,
        gangs: Sequence[PendingGang],
        known: _Known,
        as_before: Planned,
        fronts: Sequence[Sequence[PendingGang]],
    ) -> Planned:
        """Return the best plan. If it breaks promises, a plan that begins with those gangs is tried too."""
        # If no gang has a place or promise, the first plan already has the order of weight 0, the order of the queue.
        remembers = any(gang.kept is not None or gang.promised < math.inf for gang in gangs)
        replanned = [front for weight, front in zip(self.weights, fronts, strict=True) if weight or remembers]
        is_contested = planner.charged.is_contested(gangs)
        undealt = as_before if remembers and is_contested else None
        renew = partial(_dealt_anew, known) if is_contested else partial(_renewed, known, as_before)
        by_key = {gang.key: gang for gang in gangs}
        best = _best([as_before, *map(renew, replanned)], by_key, undealt)
        late = [by_key[one.gang] for one in best.decisions if is_broken(one, by_key[one.gang])]
        return _best([best, *_late_first(late, known, planner)], by_key, undealt) if late else best

    def _promised(self, decision: Decision, gang: PendingGang, may_promise: Container[GangKey]) -> Decision:
        if gang.key not in may_promise and math.isinf(gang.promised):
            return decision
        return with_promise(decision, gang, slack=self.slack)


def _moving(planner: Planner, gangs: Sequence[PendingGang]) -> set[GangKey]:
    """Return the gangs without a promise where groups take turns."""
    return {gang.key for gang in gangs if math.isinf(gang.promised)} if planner.charged.is_contested(gangs) else set()


def _decisions(
    planner: Planner, gangs: Sequence[PendingGang], known: _Known, best: Planned, chosen: Collection[GangKey]
) -> list[Decision]:
    """Return the decisions of the best plan; gangs not ``chosen`` may start sooner, and new gangs come last."""
    by_key = {gang.key: gang for gang in gangs}
    behind = {key: by_key[key] for key in known.placements if key not in chosen}
    improved = list(_improved(best, behind, _most_replanned(len(gangs))))
    new = [gang for gang in gangs if gang.kept is None and gang.key not in known.apart]
    charged = planner.charged.after(known.with_gangs(improved))
    return [*improved, *in_turn(best.planner, new, charged)]


def _known(
    planner: Planner,
    gangs: Sequence[PendingGang],
    apart: Collection[GangKey],
    raising: frozenset[GangKey] = frozenset(),
) -> _Known:
    """Find the places that gangs keep; gangs whose placement raises (``raising``) keep nothing."""
    early = [gang for gang in gangs if gang.kept is not None or gang.key in apart]
    in_order = sorted(early, key=kept_start)
    with_kept = [gang for gang in in_order if gang.kept is not None and gang.key not in raising]
    keeping = planner.keep(with_kept, apart=apart)
    place_of_gang = partial(_placement, keeping)
    tried = {key: planner.tried(place_of_gang, place.gang) for key, place in keeping.places.items()}
    placements = {key: placement for key, placement in tried.items() if placement is not None}
    if len(placements) < len(tried):
        return _known(planner, gangs, apart, raising | (tried.keys() - placements.keys()))
    return _Known(in_order, apart, keeping, placements)


def _placement(keeping: Keeping[Planner], gang: PendingGang) -> Placement:
    return keeping.whole.placement(keeping.places[gang.key])


def _as_before(known: _Known) -> Planned:
    """Return a plan that keeps all places, with the gangs without a place planned behind them."""
    whole, rest = known.keeping.whole.fork(), [gang for gang in known.gangs if gang.key not in known.placements]
    charged = whole.charged.after(known.with_gangs(known.placements.values()))
    return Planned(whole, [*known.placements.values(), *in_turn(whole, rest, charged)])


def _most_replanned(waiting: int) -> int:
    """Return the number of waiting gangs that are planned again."""
    return FRONT if waiting < LONG_QUEUE else FRONT // 2


def _front(
    gangs: Sequence[PendingGang], run_times: Sequence[float], weight: float, charged: Charged
) -> list[PendingGang]:
    turns = [gang.counts_from + weight * run_time for gang, run_time in zip(gangs, run_times, strict=True)]
    ordered = [gangs[index] for index in sorted(range(len(gangs)), key=turns.__getitem__)]
    most = _most_replanned(len(gangs))
    return fair_front(ordered, most, charged) if charged.is_contested(gangs) else ordered[:most]


def _run_time(gang: PendingGang) -> float:
    """Return the seconds that the fewest members of a gang run on idle reference nodes; 0 if that is unknown."""
    if gang.work is None:
        return 0.0
    fewest = sum(role.sizes.least for role in gang.roles if role.load.is_work)
    seconds = gang.work.float_time(fewest)
    return seconds if seconds < math.inf else 0.0


def _renewed(known: _Known, as_before: Planned, front: Sequence[PendingGang]) -> Planned:
    """Plan the front while all other gangs keep their places, also places of the first plan; then plan the rest."""
    in_front = {gang.key for gang in front}
    others = [gang for gang in known.gangs if gang.key not in in_front]
    keeping = [gang.key for gang in others if gang.key in known.placements]
    base = known.keeping.beside.fork()
    base.take([known.keeping.places[key] for key in keeping if key in known.apart])
    found = _found(as_before, known)
    placed = [(gang, found[gang.key]) for gang in others if gang.key in found]
    base.follow_all(placed)
    planned = _in_time(base, front)
    rest = [gang for gang in others if gang.key not in known.placements and gang.key not in found]
    decisions: list[Decision] = [known.placements[key] for key in keeping]
    decisions += [placement for _, placement in placed]
    decisions += planned.decisions
    charged = base.charged.after(known.with_gangs(decisions))
    return Planned(planned.planner, [*decisions, *in_turn(planned.planner, rest, charged)])


def _dealt_anew(known: _Known, front: Sequence[PendingGang]) -> Planned:
    """Plan the front beside the promised places of other gangs, then these gangs: at their places, or in turn."""
    planned = dealt_in_time(known.keeping.beside, front)
    planner, decided = planned.planner, known.with_gangs(planned.decisions)
    if any(isinstance(one, Unplaceable) and one.hold is not None for _, one in decided):
        kept = [place for key, place in known.keeping.places.items() if key not in known.apart]
    else:
        placed = [(gang, one) for gang, one in decided if isinstance(one, Placement)]
        kept = planner.keep_beside(known.keeping, {gang.key for gang in front}, placed)
    decisions = [*planned.decisions, *(_placed_at(place, known, planner) for place in kept)]
    gone = {one.gang for one in decisions}
    rest = [gang for gang in known.gangs if gang.key not in gone]
    charged = planner.charged.after(known.with_gangs(decisions))
    return Planned(planner, [*decisions, *in_turn(planner, rest, charged)])


def _placed_at(place: Place, known: _Known, planner: Planner) -> Placement:
    key = place.gang.key
    return known.placements[key] if place is known.keeping.places[key] else planner.placement(place)


def _late_first(late: Sequence[PendingGang], known: _Known, planner: Planner) -> Iterator[Planned]:
    """Make a plan with the ``late`` gangs first, if all get a placement; other gangs keep places around them."""
    base, in_order = planner.fork(), sorted(late, key=lambda gang: gang.promised)
    first = [(gang, base.decide(gang)) for gang in in_order]
    placed = [(gang, decision) for gang, decision in first if isinstance(decision, Placement)]
    if len(placed) < len(first):
        return
    are_late = {gang.key for gang in late}
    kept = {place.gang.key: place for place in base.keep_beside(known.keeping, are_late, placed)}
    placements = [_placed_at(place, known, base) for place in kept.values()]
    rest = [gang for gang in known.gangs if gang.key not in kept and gang.key not in are_late]
    decisions = [*(placement for _, placement in placed), *placements]
    yield Planned(base, [*decisions, *in_turn(base, rest, base.charged.after(known.with_gangs(decisions)))])


def _found(as_before: Planned, known: _Known) -> dict[GangKey, Placement]:
    """Return the placements that the first plan found for gangs without a kept place; all fit together."""
    places = {one.gang: one for one in as_before.decisions if isinstance(one, Placement)}
    return {key: place for key, place in places.items() if key not in known.placements}


def _improved(planned: Planned, behind: Mapping[GangKey, PendingGang], left: int) -> Iterator[Decision]:
    for decision in planned.decisions:
        gang = behind.get(decision.gang)
        if gang is not None and left and planned.planner.may_do_better(gang, decision):
            left -= 1
            yield planned.planner.chosen_anew(gang, decision)
        else:
            yield decision


def _in_time(base: Planner, front: Sequence[PendingGang]) -> Planned:
    """Plan gangs in this order; a gang that would start after its promise moves to the head of the order."""
    order = list(front)
    for _ in range(MOST_TRIES - 1):
        planner = base.fork()
        decisions = []
        for gang in order:
            decisions.append(planner.decide(gang))
            if is_broken(decisions[-1], gang):
                order = [gang, *(one for one in order if one is not gang)]
                break
        else:
            return Planned(planner, decisions)
    planner = base.fork()
    return Planned(planner, [planner.decide(gang) for gang in order])


def _best(plans: Sequence[Planned], gangs: Mapping[GangKey, PendingGang], undealt: Planned | None) -> Planned:
    return min(plans, key=lambda one: _merit(one, gangs, is_undealt=one is undealt))


def _merit(planned: Planned, gangs: Mapping[GangKey, PendingGang], *, is_undealt: bool) -> _Merit:
    placements = [one for one in planned.decisions if isinstance(one, Placement)]
    return _Merit(
        unplaced=len(planned.decisions) - len(placements),
        broken=sum(is_broken(one, gangs[one.gang]) for one in placements),
        is_undealt=is_undealt,
        # math.fsum is exact, so that the order in which gangs were planned does not matter.
        finishes=math.fsum(one.finish if one.finish < math.inf else one.start for one in placements),
    )
