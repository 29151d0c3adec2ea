"""The cheapest victims by planning the queue after every set of evictions and shrinks."""

import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from engine.brute.queue import plan_queue
from engine.builders import release, releases_of

WORTH = 30


@dataclass(frozen=True)
class Way:
    """How a gang gives way: it is evicted, or goes on with ``left`` members whose number may change until ``end``."""

    gang: Any
    left: int = 0
    end: float | None = None

    @property
    def key(self):
        return self.gang.key

    @property
    def goes(self):
        """How many members leave."""
        return self.gang.size if self.end is None else len(self.gang.smaller.nodes) - self.left

    @property
    def gives(self):
        """What is given up on each node."""
        if self.end is None:
            return dict(self.gang.holds)
        counts = Counter(self.gang.smaller.nodes[self.left :])
        return {node: tuple(count * one for one in self.gang.smaller.request) for node, count in counts.items()}

    @property
    def stays(self):
        """What is kept on each node."""
        gives, width = self.gives, len(self.gang.holds[0].request)
        return [
            (node, tuple(one - less for one, less in zip(request, gives.get(node, (0,) * width), strict=True)))
            for node, request in self.gang.holds
        ]

    def lost(self, now):
        """The member-seconds of work that are lost."""
        if self.end is None:
            return max(0, now - self.gang.since) * self.gang.size
        smaller = self.gang.smaller
        return (smaller.lost if smaller.keeps else smaller.restart_time) * self.gang.size

    def disrupts(self, budget):
        """How many pods count against a budget."""
        pods = sum(one.pods for one in self.gang.disrupts if one.budget == budget)
        return min(pods, self.goes) if self.end is not None and self.gang.smaller.keeps else pods


def preemptor_and_victims(snapshot, passes):
    """Return the most urgent gang for which some give way, and how, by name: with so many members left; or None.

    ``passes(gang, node)`` stands for the constraints.
    """
    base = plan_queue(snapshot, passes)
    for place, (gang, found) in enumerate(base):
        waits = start_of(found) - max(snapshot.now, gang.awaits)
        if gang.may_preempt and waits > WORTH:
            victims = cheapest(snapshot, passes, base, place)
            if victims is not None:
                return gang.key.name, sorted((one.key.name, one.left) for one in victims)
    return None


def cheapest(snapshot, passes, base, place):
    gang = base[place][0]
    lower = {one.key: ways(one) for one in snapshot.running if one.priority < gang.priority}
    found = cheapest_of(snapshot, passes, base, place, lower)
    claim = borrowed(snapshot, base, place) if found is None else {}
    if not claim:
        return found
    equal = [one for one in snapshot.running if one.priority == gang.priority and one.key.namespace in claim]
    borrowers = {one.key: ways(one)[not snapshot.shares.reclaims :] for one in equal}
    return cheapest_of(snapshot, passes, base, place, lower | borrowers, claim)


def cheapest_of(snapshot, passes, base, place, ways_of, claim=()):
    gang = base[place][0]
    useful = [one for one in snapshot.running if one.key in ways_of and is_of_use(one, gang, passes)]
    chosen_ways = product(*([None, *ways_of[one.key]] for one in useful))
    sets = [[way for way in chosen if way is not None] for chosen in chosen_ways]
    sets = [chosen for chosen in sets if chosen and leaves_shares(chosen, claim)]
    good = [chosen for chosen in sets if is_allowed(snapshot, chosen) and lands(snapshot, passes, base, place, chosen)]
    return min(good, key=lambda chosen: cost(snapshot, chosen), default=None)


def borrowed(snapshot, base, place):
    """Return how much each group holds beyond its share that has used more, by namespace; {} for one with its share.

    Of one resource. What starts before counts for the group of the gang, and what the plan has charged it.
    """
    shares = snapshot.shares
    if len(shares.groups) == 1:
        return {}
    gang = base[place][0]
    [most] = shares.capacity
    part = {
        one.name: Fraction(one.weight) / sum(Fraction(each.weight) for each in shares.groups) for one in shares.groups
    }
    mine = shares.groups[shares.group_of(gang.key)]
    starting = [found for one, found in base if start_of(found) <= max(snapshot.now, one.awaits)]
    if mine.held[0] + sum(sum(found.counts) for found in starting) >= part[mine.name] * most:
        return {}
    charges = [
        Fraction(sum(found.counts), most) * Fraction(found.finish - found.start)
        for _, found in base[:place]
        if start_of(found) < math.inf
    ]
    level = (Fraction(mine.used) + sum(charges)) / Fraction(mine.weight)
    more = [one for one in shares.groups if one.held and Fraction(one.used) / Fraction(one.weight) > level]
    spare = {one.name: one.held[0] - part[one.name] * most for one in more}
    return {name: amount for name, amount in spare.items() if amount >= 1}


def leaves_shares(chosen, claim):
    """Whether groups that give keep their shares."""
    return all(
        sum(sum(amount for (amount,) in way.gives.values()) for way in chosen if way.key.namespace == name) <= most
        for name, most in (claim.items() if claim else ())
    )


def ways(gang):
    """List the eviction of a gang, and each smaller size."""
    shrinks = () if gang.smaller is None else (Way(gang, one.size, one.end) for one in gang.smaller.sizes)
    return [Way(gang), *shrinks]


def is_of_use(victim, gang, passes):
    return any(
        passes(gang, node) and any(asked and held for asked, held in zip(gang.roles[0].request, request, strict=True))
        for node, request in victim.holds
    )


def is_allowed(snapshot, chosen):
    return all(
        sum(way.disrupts(budget) for way in chosen) <= allowed for budget, allowed in enumerate(snapshot.budgets)
    )


def cost(snapshot, chosen):
    lost = sum(way.lost(snapshot.now) for way in chosen)
    ages = [-since for since in sorted(way.gang.queued_since for way in chosen)]
    going = [way.goes for way in sorted(chosen, key=lambda way: way.key)]
    return lost, len(chosen), ages, sorted(way.key for way in chosen), sum(going), going


def lands(snapshot, passes, base, place, chosen):
    gang, before = base[place]
    now = snapshot.now
    ends = {way.key: min(now + way.gang.grace, way.gang.end) for way in chosen}
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
    """Let these leave when they have been evicted, or what they give up when they shrink."""
    releases, someday = list(snapshot.releases), snapshot.someday.copy()
    for way in chosen:
        for one in releases_of(way.gang, way.gang.end):
            releases.remove(one)
        for node, request in way.gives.items():
            if way.gang.end == math.inf:
                someday[node] -= request
            if ends[way.key] < math.inf:
                releases.append(release(node, ends[way.key], *request))
        if way.end is not None and way.end < math.inf:
            releases += [release(node, way.end, *request) for node, request in way.stays]
    return replace(snapshot, releases=tuple(releases), someday=someday)


def start_of(found):
    """When a gang starts, never where it is not placed."""
    return getattr(found, "start", math.inf) if hasattr(found, "finish") else math.inf
