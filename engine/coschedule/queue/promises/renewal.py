"""Planning a queue again without breaking promises.

Problem: gangs of one priority have a previous plan and a promised start each. Something has changed. Find a plan in
which no gang starts after its promise, and the sum of finishes is small.

Method: make several plans, and take the best.

- The first plan keeps the previous plan. A gang that cannot keep its place is planned again on the remaining room, and
  so are new gangs.
- One plan for each of the ``weights`` plans the front of the queue again. Its order is submission plus a multiple of
  the run time with the fewest members. Gangs behind the front keep their places, or get the places that the first plan
  found. A gang that would start after its promise, or lose its promised place, moves to the head of the order. Then the
  order is tried again, a few times.
- If the best of these plans still breaks promises, one more plan begins with the gangs of these promises. All other
  gangs keep their places around them.

A promise is broken if its gang loses its place, or starts late. The best plan has the fewest lost places, then the
fewest late gangs. Among such plans it has the fewest gangs without a placement, then the least sum of finishes. If
plans are equal, the first is taken. So if the first plan breaks no promise, the best plan breaks none.

If groups share the nodes (``queue.shares``), only gangs in a front get a promise. Otherwise a long queue of one group
would keep all other groups waiting until its end. If gangs of several groups wait, each plan gives them turns, so an
order only permutes the gangs within a group. A front then also has the gangs with a promise that would start next, so
that they can be planned for later. Gangs behind the front keep only promised places before the front is planned. The
places of the first plan do not follow the turns. So this plan is taken only if all others break more promises, or place
fewer gangs.

Finally, some gangs that keep their place are planned again, as many as a front has. These gangs start now, or would fit
now. Each uses its own place and the room that the best plan leaves. So its nodes are chosen at the start, from all
nodes that are free by then, and fewer useful nodes stay idle. New gangs behind the front are planned last.
"""

import math
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Decision, Placement
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.promises.fronts import fronts_of, most_replanned
from coschedule.queue.promises.in_turn import in_turn, is_broken
from coschedule.queue.promises.other_orders import dealt_anew, late_first, renewed
from coschedule.queue.promises.planned import Planned, with_promise
from coschedule.queue.promises.previous_plan import PreviousPlan, previous_plan


class _Merit(NamedTuple):
    """The merit of a plan; the least is the best.

    ``lost`` gangs lose a promised place, and ``late`` gangs start after their promise. With ``is_undealt``, the places
    do not follow the turns of groups.
    """

    lost: int
    late: int
    unplaced: int
    is_undealt: bool
    finishes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """Plans again: one order for each of the ``weights``; new promises are ``slack`` run times after the start."""

    weights: tuple[float, ...]
    slack: float

    def plan(self, planner: Planner, gangs: Sequence[PendingGang]) -> Planned:
        """Plan gangs of one priority, given in the order of the queue."""
        fronts = fronts_of(gangs, self.weights, planner)
        in_fronts = {gang.key for front in fronts for gang in front}
        previous = previous_plan(planner, gangs, in_fronts | _moving(planner, gangs))
        first = previous.kept_whole()
        best = self._best_order(planner, gangs, previous, first, fronts)
        decisions = _decisions(planner, gangs, previous, best, in_fronts if best is not first else frozenset())
        by_key = {gang.key: gang for gang in gangs}
        may_promise = by_key if planner.charged.is_of_one else in_fronts
        return Planned(best.planner, [self._promised(one, by_key[one.gang], may_promise) for one in decisions])

    def _best_order(
        self,
        planner: Planner,
        gangs: Sequence[PendingGang],
        previous: PreviousPlan,
        first: Planned,
        fronts: Sequence[Sequence[PendingGang]],
    ) -> Planned:
        """Return the best plan. If it breaks promises, try a plan that begins with the gangs of these promises too."""
        # If no gang has a place or promise, the first plan already has the order of weight 0, the order of the queue.
        remembers = any(gang.kept is not None or gang.promised < math.inf for gang in gangs)
        replanned = [front for weight, front in zip(self.weights, fronts, strict=True) if weight or remembers]
        is_contested = planner.charged.is_contested(gangs)
        undealt = first if remembers and is_contested else None
        renew = partial(dealt_anew, previous) if is_contested else partial(renewed, previous, first)
        by_key = {gang.key: gang for gang in gangs}
        best = _best([first, *map(renew, replanned)], by_key, undealt)
        broken = (one for one in best.decisions if is_broken(one, by_key[one.gang]))
        late = [by_key[one.gang] for one in broken if isinstance(one, Placement)]
        return _best([best, *late_first(late, previous, planner)], by_key, undealt) if late else best

    def _promised(self, decision: Decision, gang: PendingGang, may_promise: Container[GangKey]) -> Decision:
        if gang.key not in may_promise and math.isinf(gang.promised):
            return decision
        return with_promise(decision, gang, slack=self.slack)


def _moving(planner: Planner, gangs: Sequence[PendingGang]) -> set[GangKey]:
    """Return the gangs without a promise if all ``gangs`` together are of several groups, else no gangs."""
    return {gang.key for gang in gangs if math.isinf(gang.promised)} if planner.charged.is_contested(gangs) else set()


def _decisions(
    planner: Planner, gangs: Sequence[PendingGang], previous: PreviousPlan, best: Planned, chosen: Collection[GangKey]
) -> list[Decision]:
    """Return the decisions of the best plan; gangs not ``chosen`` may start sooner, and new gangs come last."""
    by_key = {gang.key: gang for gang in gangs}
    behind = {key: by_key[key] for key in previous.placements if key not in chosen}
    improved = list(_improved(best, behind, most_replanned(len(gangs))))
    new = [gang for gang in gangs if gang.kept is None and gang.key not in previous.apart]
    charged = planner.charged.after(previous.with_gangs(improved))
    return [*improved, *in_turn(best.planner, new, charged)]


def _improved(planned: Planned, behind: Mapping[GangKey, PendingGang], left: int) -> Iterator[Decision]:
    for decision in planned.decisions:
        gang = behind.get(decision.gang)
        if gang is not None and left and planned.planner.may_do_better(gang, decision):
            left -= 1
            yield planned.planner.chosen_anew(gang, decision)
        else:
            yield decision


def _best(plans: Sequence[Planned], gangs: Mapping[GangKey, PendingGang], undealt: Planned | None) -> Planned:
    return min(plans, key=lambda one: _merit(one, gangs, is_undealt=one is undealt))


def _merit(planned: Planned, gangs: Mapping[GangKey, PendingGang], *, is_undealt: bool) -> _Merit:
    placements = [one for one in planned.decisions if isinstance(one, Placement)]
    broken = [one for one in planned.decisions if is_broken(one, gangs[one.gang])]
    late = sum(isinstance(one, Placement) for one in broken)
    return _Merit(
        lost=len(broken) - late,
        late=late,
        unplaced=len(planned.decisions) - len(placements),
        is_undealt=is_undealt,
        # math.fsum is exact, so that the order in which gangs were planned does not matter.
        finishes=math.fsum(one.finish if one.finish < math.inf else one.start for one in placements),
    )
