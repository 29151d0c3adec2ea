"""Planning a queue again by the book: nothing is shared between its plans, nor found once for several gangs."""

import math
from dataclasses import replace

from coschedule.queue.keeping.fitting_places import _crowded
from coschedule.queue.keeping.sliding import with_room
from coschedule.queue.planner.observer import silent
from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.promises.keeping_places import keep, placement_of
from coschedule.queue.promises.other_orders import MOST_TRIES
from coschedule.queue.promises.planned import with_promise
from coschedule.queue.slots import kept

WEIGHTS = (1.0, 4.0)


def planned_from_nothing(facts, front, monkeypatch):
    """Plan gangs of one priority with slack, where so many choose anew: decisions by gang."""
    with monkeypatch.context() as patch:
        patch.setattr(kept, "_MOST_KEPT", 0)
        return _planned(_without_spelling(facts), front)


def _without_spelling(facts):
    gangs = (one if one.kept is None else replace(one, kept=replace(one.kept, members=())) for one in facts.gangs)
    return replace(facts, gangs=tuple(gangs))


def _planned(facts, most):
    gangs = sorted(facts.gangs, key=lambda one: (one.created, one.key))
    fronts = [sorted(gangs, key=lambda one, w=w: one.created + w * least_run(one))[:most] for w in WEIGHTS]
    first = _as_before(facts, fronts)
    found = {one.gang: one for one in first[1] if isinstance(one, Placement)}
    plans = [first, *(_anew(facts, front, fronts, found) for front in fronts)]
    best = min(plans, key=lambda one: merit(one[1], facts))
    by_key = {one.key: one for one in gangs}
    late = [by_key[one.gang] for one in best[1] if isinstance(one, Placement) and _is_late(one, by_key[one.gang])]
    if late:
        best = min([best, _giving_way(facts, late, fronts)], key=lambda one: merit(one[1], facts))
    settled = {} if best is first else {one.key for front in fronts for one in front}
    planner, decisions = best
    decisions = list(_improved(planner, decisions, _places(facts, gangs), settled, gangs, most))
    behind = [one for one in gangs if one.kept is None and all(one not in front for front in fronts)]
    decisions += [planner.decide(one) for one in behind]
    return {one.gang: with_promise(one, by_key[one.gang], slack=1 / 3) for one in decisions}


def least_run(one):
    """How long the fewest members run."""
    return float(one.work.float_times(one.roles[0].sizes.least)[-1])


def merit(decisions, facts):
    """Fewest lost places, then fewest late gangs, then fewest without a placement, then the least sum of finishes."""
    gangs = {one.key: one for one in facts.gangs}
    placed = [one for one in decisions if isinstance(one, Placement)]
    unplaced = [one for one in decisions if not isinstance(one, Placement)]
    lost, late = (sum(_is_late(one, gangs[one.gang]) for one in some) for some in (unplaced, placed))
    return lost, late, len(unplaced), math.fsum(one.finish for one in placed)


def _places(facts, gangs):
    keeping = [one for one in _in_order(gangs) if one.kept is not None]
    return keep(Planner(facts, silent, None), keeping, apart=()).places


def _in_order(gangs):
    return sorted(gangs, key=lambda one: math.inf if one.kept is None else one.kept.start)


def _early(facts, fronts):
    gangs = sorted(facts.gangs, key=lambda one: (one.created, one.key))
    return _in_order([one for one in gangs if one.kept is not None or any(one in front for front in fronts)])


def _as_before(facts, fronts):
    early, planner = _early(facts, fronts), Planner(facts, silent, None)
    places = _places(facts, early)
    for place in places.values():
        planner.take([place])
    decisions = [placement_of(place, planner) for place in places.values()]
    return planner, [*decisions, *(planner.decide(one) for one in early if one.key not in places)]


def _anew(facts, front, fronts, found):
    early = _early(facts, fronts)
    places = _places(facts, early)
    spelling = _as_before_only_kept(facts, places)
    others = [one for one in early if one not in front]
    kept_on = [one for one in others if one.key in places]
    again = [one for one in others if one.key in found and one.key not in places]
    planner, chosen = _in_time(
        facts, front, [places[one.key] for one in kept_on], [(one, found[one.key]) for one in again]
    )
    rest = [planner.decide(one) for one in others if one not in kept_on and one not in again]
    before = [*(placement_of(places[one.key], spelling) for one in kept_on), *(found[one.key] for one in again)]
    return planner, [*before, *chosen, *rest]


def _giving_way(facts, late, fronts):
    """Those that are late first, then those that keep their places, the crowded one by one, and then the rest."""
    planner, early = Planner(facts, silent, None), _early(facts, fronts)
    first = [planner.decide(one) for one in sorted(late, key=lambda one: one.promised)]
    before = _places(facts, early)
    places, spelling = (
        [place for place in before.values() if place.gang not in late],
        _as_before_only_kept(facts, before),
    )
    claimed = planner.fork()
    claimed.take(places)
    crowded = {place.gang.key for place in _crowded(places, claimed.claimed.timeline)}
    planner.take([place for place in places if place.gang.key not in crowded])
    kept = {place.gang.key: place for place in places if place.gang.key not in crowded}
    for place in sorted(places, key=lambda place: place.choice.outline.start):
        moved = with_room(place, planner.claimed.timeline) if place.gang.key in crowded else None
        if moved is not None:
            planner.take([moved])
            kept[place.gang.key] = moved
    in_turn = [kept[place.gang.key] for place in places if place.gang.key in kept]
    spelling = _as_before_only_kept(facts, before)
    placed = [placement_of(place, spelling if any(place is one for one in places) else planner) for place in in_turn]
    rest = [one for one in early if one.key not in kept and one not in late]
    return planner, [*first, *placed, *(planner.decide(one) for one in rest)]


def _as_before_only_kept(facts, places):
    planner = Planner(facts, silent, None)
    planner.take(list(places.values()))
    return planner


def _in_time(facts, front, places, placed):
    order = list(front)
    for tries in range(MOST_TRIES):
        planner = Planner(facts, silent, None)
        planner.take(places)
        for one, placement in placed:
            planner.follow(one, placement)
        decisions = []
        for one in order:
            decisions.append(planner.decide(one))
            if tries < MOST_TRIES - 1 and _is_late(decisions[-1], one):
                order = [one, *(other for other in order if other is not one)]
                break
        else:
            return planner, decisions
    raise AssertionError("the last try ends")


def _is_late(decision, one):
    if isinstance(decision, Placement):
        return decision.start > one.promised
    return one.kept is not None and one.promised < math.inf


def _improved(planner, decisions, places, settled, gangs, most):
    by_key = {one.key: one for one in gangs}
    left = most
    for decision in decisions:
        is_kept = decision.gang in places and decision.gang not in settled
        if is_kept and left and planner.may_do_better(by_key[decision.gang], decision):
            left -= 1
            yield planner.chosen_anew(by_key[decision.gang], decision)
        else:
            yield decision
