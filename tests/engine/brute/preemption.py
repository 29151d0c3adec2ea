"""The cheapest victims by planning the queue without every set of gangs that could give way."""

import math
from dataclasses import replace
from itertools import combinations

from engine.brute.queue import plan_queue
from engine.builders import release, releases_of

WORTH = 30


def preemptor_and_victims(snapshot, passes):
    """Return the most urgent gang for which some give way and the names of those, or None.

    ``passes(gang, node)`` stands for the constraints.
    """
    base = plan_queue(snapshot, passes)
    for place, (gang, found) in enumerate(base):
        waits = start_of(found) - max(snapshot.now, gang.awaits)
        if gang.may_preempt and waits > WORTH:
            victims = cheapest(snapshot, passes, base, place)
            if victims is not None:
                return gang.key.name, sorted(one.key.name for one in victims)
    return None


def cheapest(snapshot, passes, base, place):
    gang = base[place][0]
    lower = [one for one in snapshot.running if one.priority < gang.priority and is_of_use(one, gang, passes)]
    sets = [chosen for size in range(1, len(lower) + 1) for chosen in combinations(lower, size)]
    good = [chosen for chosen in sets if is_allowed(snapshot, chosen) and lands(snapshot, passes, base, place, chosen)]
    return min(good, key=lambda chosen: cost(snapshot, chosen), default=None)


def is_of_use(victim, gang, passes):
    return any(
        passes(gang, node) and any(asked and held for asked, held in zip(gang.roles[0].request, request, strict=True))
        for node, request in victim.holds
    )


def is_allowed(snapshot, chosen):
    return all(
        sum(one.pods for victim in chosen for one in victim.disrupts if one.budget == budget) <= allowed
        for budget, allowed in enumerate(snapshot.budgets)
    )


def cost(snapshot, chosen):
    lost = sum(max(0, snapshot.now - victim.since) * victim.size for victim in chosen)
    ages = [-since for since in sorted(victim.queued_since for victim in chosen)]
    return lost, len(chosen), ages, sorted(victim.key for victim in chosen)


def lands(snapshot, passes, base, place, chosen):
    gang, before = base[place]
    now = snapshot.now
    ends = {victim.key: min(now + victim.grace, victim.end) for victim in chosen}
    world = evicted(started(snapshot, base[:place]), chosen, ends)
    planned = {one.key: start_of(found) for one, found in plan_queue(world, passes)}
    soon = max(math.nextafter(now, math.inf), *ends.values())
    if planned[gang.key] > soon or start_of(before) - planned[gang.key] <= WORTH:
        return False
    return all(
        planned[one.key] <= start_of(found)
        for one, found in base
        if one.key in planned and one.priority >= gang.priority
    )


def started(snapshot, in_front):
    """Let those in front start that start now."""
    free, someday = snapshot.free.copy(), snapshot.someday.copy()
    releases, gone = list(snapshot.releases), set()
    for gang, found in in_front:
        if start_of(found) > snapshot.now:
            continue
        gone.add(gang.key)
        for node, count in enumerate(found.counts):
            amounts = tuple(count * amount for amount in gang.roles[0].request)
            free[node] -= amounts
            if found.finish < math.inf:
                releases.append(release(node, found.finish, *amounts))
            else:
                someday[node] += amounts
    gangs = tuple(gang for gang in snapshot.gangs if gang.key not in gone)
    return replace(snapshot, free=free, someday=someday, releases=tuple(releases), gangs=gangs)


def evicted(snapshot, chosen, ends):
    """Let these end when they have been evicted."""
    releases, someday = list(snapshot.releases), snapshot.someday.copy()
    for victim in chosen:
        for one in releases_of(victim, victim.end):
            releases.remove(one)
        if victim.end == math.inf:
            for node, request in victim.holds:
                someday[node] -= request
        releases += releases_of(victim, ends[victim.key])
    return replace(snapshot, releases=tuple(releases), someday=someday)


def start_of(found):
    """When a gang starts, never where it is not placed."""
    return getattr(found, "start", math.inf) if hasattr(found, "finish") else math.inf
