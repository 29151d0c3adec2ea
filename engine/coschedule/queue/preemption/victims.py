"""Sets of victims, the cheapest first: least lost work, then fewest gangs, then the youngest, then by name.

Ages of sets are compared by their oldest gangs, then by the second oldest, and so on. Two sets may have the same gangs
and the same lost work. Then the set from which fewer members leave comes first.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence

from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.running import RunningGang

Cost = tuple[float, int, tuple[float, ...], tuple[GangKey, ...], tuple[int, ...]]


def cost(victims: Sequence[RunningGang], now: float) -> Cost:
    """Return the cost of a set of victims. Less is better, and no two sets have equal costs."""
    lost = sum(victim.lost_work(now) for victim in victims)
    by_key = sorted((victim.key, victim.going) for victim in victims)
    going = [members for _, members in by_key]
    return lost, len(victims), _oldest_first(victims), tuple(key for key, _ in by_key), (sum(going), *going)


def cheapest_first(
    candidates: Sequence[RunningGang], now: float, may_become: Callable[[Sequence[RunningGang]], bool]
) -> Iterator[tuple[RunningGang, ...]]:
    """Generate the non-empty sets of candidates, the cheapest first.

    Several candidates may be the same gang in different ways; a set has each gang once. The method is branch and bound,
    best first. A set has two successors: one adds the next candidate, the other replaces the last candidate by the
    next. Both cost more. So each set comes once, and in order. ``may_become`` gets all candidates that a branch may
    contain. If it returns False, no part of these candidates suffices, and the branch is left out.
    """
    ordered = sorted(candidates, key=lambda one: cost([one], now))
    queue = [(cost(ordered[:1], now), (0,))] if ordered and may_become(ordered) else []
    while queue:
        _, chosen = heapq.heappop(queue)
        yield tuple(ordered[one] for one in chosen)
        for kept in (chosen, chosen[:-1]):
            fixed = [ordered[one] for one in kept]
            following = _next(ordered, chosen[-1], fixed)
            if following < len(ordered) and may_become([*fixed, *ordered[following:]]):
                heapq.heappush(queue, (cost([*fixed, ordered[following]], now), (*kept, following)))


def _next(ordered: Sequence[RunningGang], last: int, fixed: Sequence[RunningGang]) -> int:
    """Return the first index after ``last`` of a gang that is not fixed; the length if there is none."""
    following = last + 1
    while following < len(ordered) and any(ordered[following].key == one.key for one in fixed):
        following += 1
    return following


def _oldest_first(victims: Sequence[RunningGang]) -> tuple[float, ...]:
    return tuple(-since for since in sorted(victim.queued_since for victim in victims))
