"""Planning a queue again without breaking a word.

Problem: gangs of one priority have a plan from before, and a start that each was promised. Something has changed. Find
a plan in which no gang starts after what it was promised, and the sum of finishes is small.

Method: several plans are made, and the best is taken. The first keeps the plan from before; a gang for which that is
not possible any more, since something has run for longer or a node is lost, is planned again on what the others leave,
and so are new gangs. The others plan the front of the queue anew, in an order each: by submission plus a multiple of
the least run time (its ``weights``). Whoever is behind the front keeps its place. A gang that would start after
what it was promised goes to the head of the order, which is tried again a few times. Of all plans those with the fewest
gangs without a placement are the best, then with the fewest broken promises, then with the least sum of finishes; of
equal ones the first. So a promise is broken only where the plan from before has become impossible.

Then those that keep their place and would fit now are planned again, as many as a front has, on what the best plan
leaves and their own place: so nothing idles that somebody could use. Gangs behind the front that are new are planned
last.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coschedule.queue.decisions import Decision, Placement
from coschedule.queue.gangs import GangKey, Load, PendingGang
from coschedule.queue.planner import Planner
from coschedule.queue.promises.planned import Planned, with_promise

FRONT = 32
"""So many gangs choose anew in each order. More of them gain next to nothing in whole queues that were simulated."""

_MOST_TRIES = 4


class _Merit(NamedTuple):
    """How good a plan is: less is better."""

    unplaced: int
    broken: int
    finishes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """Plans again: in one order for each of the ``weights``; promises are ``slack`` run times beyond the start."""

    weights: tuple[float, ...]
    slack: float

    def plan(self, planner: Planner, gangs: Sequence[PendingGang]) -> Planned:
        """Plan gangs of one priority, which are in their order."""
        fronts = [_front(gangs, weight) for weight in self.weights]
        # Where nothing is remembered, the first plan is that of the order of the queue.
        remembers = any(gang.kept is not None or gang.promised < math.inf for gang in gangs)
        in_fronts = {gang.key for front in fronts for gang in front}
        known = [gang for gang in gangs if gang.kept is not None or gang.key in in_fronts]
        by_key = {gang.key: gang for gang in gangs}
        anew = [front for weight, front in zip(self.weights, fronts, strict=True) if weight or remembers]
        in_order = sorted(known, key=_kept_start)
        base = planner.fork()
        kept = base.keep([gang for gang in in_order if gang.kept is not None])
        as_before = Planned(base, [*kept.values(), *_in_turn(base, [one for one in in_order if one.key not in kept])])
        best = _best([as_before, *(_renewed(planner, front, in_order, kept) for front in anew)], by_key)
        settled = in_fronts if best is not as_before else frozenset()
        sooner = _sooner(best, {key: by_key[key] for key in kept if key not in settled})
        new = [gang for gang in gangs if gang.kept is None and gang.key not in in_fronts]
        decisions = [*sooner, *_in_turn(best.planner, new)]
        return Planned(best.planner, [with_promise(one, by_key[one.gang], slack=self.slack) for one in decisions])


def _front(gangs: Sequence[PendingGang], weight: float) -> list[PendingGang]:
    return sorted(gangs, key=lambda gang: gang.created + weight * _run_time(gang))[:FRONT]


def _run_time(gang: PendingGang) -> float:
    """Return how long its fewest members run on idle reference nodes, 0 where that is unknown."""
    if gang.work is None:
        return 0.0
    fewest = sum(role.sizes.least for role in gang.roles if role.load is not Load.NONE)
    seconds = float(gang.work.float_times(fewest)[-1])
    return seconds if seconds < math.inf else 0.0


def _renewed(
    planner: Planner, front: Sequence[PendingGang], gangs: Sequence[PendingGang], kept: Mapping[GangKey, Placement]
) -> Planned:
    """Keep the places of all others, and plan the front anew; then those that have no place."""
    in_front = {gang.key for gang in front}
    others = [gang for gang in gangs if gang.key not in in_front]
    base = planner.fork()
    decisions = base.take([gang for gang in others if gang.key in kept], kept)
    planned = _in_time(base, front)
    rest = [gang for gang in others if gang.key not in kept]
    return Planned(planned.planner, [*decisions, *planned.decisions, *_in_turn(planned.planner, rest)])


def _sooner(planned: Planned, behind: Mapping[GangKey, PendingGang]) -> Iterator[Decision]:
    left = FRONT
    for decision in planned.decisions:
        gang = behind.get(decision.gang)
        if gang is not None and left and planned.planner.may_be_sooner(gang, decision):
            left -= 1
            yield planned.planner.sooner(gang, decision)
        else:
            yield decision


def _in_time(base: Planner, front: Sequence[PendingGang]) -> Planned:
    """Plan gangs in this order, but for those that would start too late otherwise: they come first."""
    order = list(front)
    for _ in range(_MOST_TRIES - 1):
        planner = base.fork()
        decisions = []
        for gang in order:
            decisions.append(planner.decide(gang))
            if _is_broken(decisions[-1], gang):
                order = [gang, *(one for one in order if one is not gang)]
                break
        else:
            return Planned(planner, decisions)
    planner = base.fork()
    return Planned(planner, [planner.decide(gang) for gang in order])


def _in_turn(planner: Planner, gangs: Sequence[PendingGang]) -> list[Decision]:
    return [planner.decide(gang) for gang in gangs]


def _kept_start(gang: PendingGang) -> float:
    return math.inf if gang.kept is None else gang.kept.start


def _best(plans: Sequence[Planned], gangs: Mapping[GangKey, PendingGang]) -> Planned:
    return min(plans, key=lambda one: _merit(one, gangs))


def _merit(planned: Planned, gangs: Mapping[GangKey, PendingGang]) -> _Merit:
    placements = [one for one in planned.decisions if isinstance(one, Placement)]
    return _Merit(
        unplaced=len(planned.decisions) - len(placements),
        broken=sum(_is_broken(one, gangs[one.gang]) for one in placements),
        # math.fsum is exact, so that the order in which gangs were planned does not matter.
        finishes=math.fsum(one.finish if one.finish < math.inf else one.start for one in placements),
    )


def _is_broken(decision: Decision, gang: PendingGang) -> bool:
    return isinstance(decision, Placement) and decision.start > gang.promised
