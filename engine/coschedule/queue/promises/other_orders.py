"""Plans in which some gangs are planned again before or beside the kept places of all others."""

from collections.abc import Iterator, Sequence

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Decision, Placement, Unplaceable
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.promises.in_turn import dealt_in_time, in_turn, is_broken
from coschedule.queue.promises.keeping_places import keep_beside
from coschedule.queue.promises.planned import Planned
from coschedule.queue.promises.previous_plan import PreviousPlan

MOST_TRIES = 4
"""The most orders of one front that are tried."""


def renewed(previous: PreviousPlan, first: Planned, front: Sequence[PendingGang]) -> Planned:
    """Plan the front while other gangs keep their places or get those of the first plan; then plan the rest."""
    in_front = {gang.key for gang in front}
    others = [gang for gang in previous.gangs if gang.key not in in_front]
    keeping = [gang.key for gang in others if gang.key in previous.placements]
    base = previous.keeping.beside.fork()
    base.take([previous.keeping.places[key] for key in keeping if key in previous.apart])
    found = previous.newly_placed(first)
    placed = [(gang, found[gang.key]) for gang in others if gang.key in found]
    base.follow_all(placed)
    planned = _in_time(base, front)
    rest = [gang for gang in others if gang.key not in previous.placements and gang.key not in found]
    decisions: list[Decision] = [previous.placements[key] for key in keeping]
    decisions += [placement for _, placement in placed]
    decisions += planned.decisions
    charged = base.charged.after(previous.with_gangs(decisions))
    return Planned(planned.planner, [*decisions, *in_turn(planned.planner, rest, charged)])


def dealt_anew(previous: PreviousPlan, front: Sequence[PendingGang]) -> Planned:
    """Plan the front beside the promised places of other gangs. Then plan the others at their places, or in turn."""
    planned = dealt_in_time(previous.keeping.beside, front)
    planner, decided = planned.planner, previous.with_gangs(planned.decisions)
    if any(isinstance(one, Unplaceable) and one.hold is not None for _, one in decided):
        kept = [place for key, place in previous.keeping.places.items() if key not in previous.apart]
    else:
        placed = [(gang, one) for gang, one in decided if isinstance(one, Placement)]
        gone, claimed = {gang.key for gang in front}, previous.keeping.places.keys() - set(previous.apart)
        kept = keep_beside(planner, previous.keeping, gone, placed, claimed_before=claimed)
    decisions = [*planned.decisions, *(previous.placement_at(place, planner) for place in kept)]
    gone = {one.gang for one in decisions}
    rest = [gang for gang in previous.gangs if gang.key not in gone]
    charged = planner.charged.after(previous.with_gangs(decisions))
    return Planned(planner, [*decisions, *in_turn(planner, rest, charged)])


def late_first(late: Sequence[PendingGang], previous: PreviousPlan, planner: Planner) -> Iterator[Planned]:
    """Make a plan with the ``late`` gangs first, if all get a placement; other gangs keep places around them."""
    base, in_order = planner.fork(), sorted(late, key=lambda gang: gang.promised)
    first = [(gang, base.decide(gang)) for gang in in_order]
    placed = [(gang, decision) for gang, decision in first if isinstance(decision, Placement)]
    if len(placed) < len(first):
        return
    are_late = {gang.key for gang in late}
    kept = {place.gang.key: place for place in keep_beside(base, previous.keeping, are_late, placed)}
    placements = [previous.placement_at(place, base) for place in kept.values()]
    rest = [gang for gang in previous.gangs if gang.key not in kept and gang.key not in are_late]
    decisions = [*(placement for _, placement in placed), *placements]
    yield Planned(base, [*decisions, *in_turn(base, rest, base.charged.after(previous.with_gangs(decisions)))])


def _in_time(base: Planner, front: Sequence[PendingGang]) -> Planned:
    """Plan gangs in this order. If a gang would break its promise (``is_broken``), move it to the head and begin again.

    The last of ``MOST_TRIES`` orders is taken even if it breaks promises.
    """
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
