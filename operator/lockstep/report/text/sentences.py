"""Formats numbers, names and small clauses that several sentences share."""

import math
import re
from collections.abc import Iterator, Sequence

from coschedule import GangKey
from lockstep.api.preemption import gang_name
from lockstep.api.quantities import rfc3339
from lockstep.facts.gang.keys import ANOTHERS
from lockstep.facts.gang.start_estimate import NodeKind
from lockstep.facts.past_runs import THOUSAND, Learned
from lockstep.snapshot.quotas.quota_bounds import Narrowed

_MOST_RANGES = 6
_LEAST_PERCENT = 0.001

REMEDY_BEGINS = "If "
"""A sentence that begins with this word is a remedy. If a message is cut off, the remedy is shown first."""


def member_price(seconds: str) -> str:
    """``one second of a member costs other gangs 0.25 s``: the clause about the price in all messages."""
    return f"one second of a member costs other gangs {seconds} s"


def run_times_learned(learned: Learned) -> str:
    """A sentence about the learned run times that a plan used instead of the stated run times."""
    if learned.law is not None:
        return (
            f"Plans use {learned.formatted} times the run times of the formula that fits its last {learned.runs} runs."
        )
    if learned.thousandths == THOUSAND:
        return f"Its run times are as stated, like those of its last {learned.runs} runs."
    return f"Its run times are {learned.formatted} times as stated, like those of its last {learned.runs} runs."


def waits_for_victims(victims: Sequence[GangKey]) -> str:
    """A sentence about a gang that starts after the gangs evicted for it have ended."""
    whose = "that gang" if len(victims) == 1 else "those gangs"
    return f"It preempts {_named(victims)}, and starts when the members of {whose} have ended."


def waits_for_seats(givers: Sequence[GangKey]) -> str:
    """A sentence about a gang that starts after other gangs have given up seats by changes of their size."""
    has, whose = ("has", "its") if len(givers) == 1 else ("have", "their")
    return f"It waits until {_named(givers)} {has} given up {whose} places there."


def took_place_of(victims: Sequence[GangKey]) -> str:
    """A sentence about a gang that starts now in the place of others."""
    return f"It takes the place of {_named(victims)}."


def _named(gangs: Sequence[GangKey]) -> str:
    """The names of these gangs, and the number of gangs of other namespaces."""
    named = [gang_name(gang) for gang in gangs if gang != ANOTHERS]
    others = len(gangs) - len(named)
    theirs = "a gang of another namespace" if others == 1 else f"{others} gangs of other namespaces"
    names = [f"{'gang' if len(named) == 1 else 'gangs'} {listed(named)}"] if named else []
    return " and ".join([*names, *([theirs] if others else [])])


def room_held(kinds: Sequence[NodeKind], gang: GangKey, until: float) -> str:
    """``8 slots on nodes of speed 2, held by default/heat until 2026-01-01T14:05:00Z``."""
    slots = ", ".join(f"{_counted(kind.members, 'slot')} on nodes of speed {kind.speed}" for kind in kinds)
    return f"{slots}, held by {gang_name(gang)} until {rfc3339(until)}"


def room_opens(node: str, time: float) -> str:
    """``node n03, which opens at 2026-01-01T14:05:00Z``."""
    return f"node {node}, which opens at {rfc3339(time)}"


def as_sentence(clause: str) -> str:
    """The clause with a capital and a full stop."""
    return clause[:1].upper() + clause[1:].rstrip(".") + "."


def n_members(count: int) -> str:
    """``1 member``, ``8 members``."""
    return _counted(count, "member")


def all_members(count: int, *, one: str, more: str) -> str:
    """``All 8 members are bound.``; ``The only member is bound.``."""
    return f"The only member {one}." if count == 1 else f"All {n_members(count)} {more}."


def n_pieces(count: int) -> str:
    """``1 piece``, ``12 pieces``."""
    return _counted(count, "piece")


def n_nodes(count: int) -> str:
    """``1 node``, ``12 nodes``."""
    return _counted(count, "node")


def n_claims(count: int) -> str:
    """``1 claim``, ``8 claims``."""
    return _counted(count, "claim")


def n_gangs(count: int) -> str:
    """``1 gang``, ``12 gangs``."""
    return _counted(count, "gang")


def n_pods(count: int) -> str:
    """``1 pod``, ``12 pods``."""
    return _counted(count, "pod")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def narrowed_by(narrowed: Narrowed) -> str:
    """A sentence about the quota that limits the number of members."""
    wanted = f"It may have up to {n_members(narrowed.maximum)}"
    if narrowed.fastest is not None:
        wanted = f"It would be fastest with {n_members(narrowed.fastest)}, by its run times"
    return f"{wanted}; quota {narrowed.quota} allows {narrowed.most} now."


def listed(names: Sequence[str]) -> str:
    """The first six of these names, and the number of the others."""
    shown = ", ".join(names[:_MOST_RANGES])
    return shown if len(names) <= _MOST_RANGES else f"{shown} and {len(names) - _MOST_RANGES} more"


def percentage(share: float) -> str:
    """A share in whole percent, or with two significant digits below 10 %; at least ``less than 0.001 %``."""
    percent = 100 * share
    if 0 < percent < _LEAST_PERCENT:
        return f"less than {_LEAST_PERCENT} %"
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


def speedup(value: float) -> str:
    """A speed-up with two decimals below 1, with one below 100, and as a whole number from 100 on."""
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def price(value: float) -> str:
    """A price with two decimals, or below 1 with two significant digits; at most six decimals, and never 0."""
    rounded = max(value, 1e-6)
    digits = 2 if rounded >= 1 else 1 - math.floor(math.log10(rounded))
    return f"{rounded:.{min(digits, 6)}f}"


def duration(seconds: float) -> str:
    """``40 s``, ``5 min 20 s``, ``2 h 10 min``. A second unit of 0 is left out: ``5 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s" if whole else "less than 1 s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def node_ranges(names: Sequence[str]) -> str:
    """Node names with consecutive numbers joined: ``n03…n10, n12``."""
    ranges = [first if first == last else f"{first}…{last}" for first, last in _runs(names)]
    if len(ranges) > _MOST_RANGES:
        ranges = [*ranges[:_MOST_RANGES], f"{len(ranges) - _MOST_RANGES} more"]
    return ", ".join(ranges)


def _runs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The first and last name of each run of three or more consecutive numbers.

    Each other name is returned as first and last name of its own run.
    """
    ordered = sorted(names)
    start = 0
    for end in range(1, len(ordered) + 1):
        if end < len(ordered) and _follows(ordered[end - 1], ordered[end]):
            continue
        if end - start > 2:
            yield ordered[start], ordered[end - 1]
        else:
            yield from ((name, name) for name in ordered[start:end])
        start = end


def _follows(before: str, after: str) -> bool:
    one, other = re.fullmatch(r"(.*?)(\d+)", before), re.fullmatch(r"(.*?)(\d+)", after)
    return (
        one is not None
        and other is not None
        and one[1] == other[1]
        and len(one[2]) == len(other[2])
        and int(other[2]) == int(one[2]) + 1
    )
