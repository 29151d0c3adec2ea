"""Sets of victims, the cheapest first: least lost work, then fewest gangs, then the youngest, then by name.

Ages of sets are compared by their oldest gangs, then by the second oldest, and so on.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence

from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.running import RunningGang

Cost = tuple[float, int, tuple[float, ...], tuple[GangKey, ...]]


def cost(victims: Sequence[RunningGang], now: float) -> Cost:
    """Return the cost of evicting a set; less is better, and no two sets have equal costs."""
    lost = sum(victim.lost_work(now) for victim in victims)
    return lost, len(victims), _oldest_first(victims), tuple(sorted(victim.key for victim in victims))


def cheapest_first(
    candidates: Sequence[RunningGang], now: float, may_become: Callable[[Sequence[RunningGang]], bool]
) -> Iterator[tuple[RunningGang, ...]]:
    """Generate the non-empty sets of candidates, the cheapest first.

    Branch and bound, best first. A set has two successors: one adds the next candidate, the other replaces the last one
    by the next. Both cost more. So each set comes once, and in order. ``may_become`` gets all candidates that a branch
    may contain. If it returns False, no part of them suffices, and the branch is left out.
    """
    ordered = sorted(candidates, key=lambda one: cost([one], now))
    queue = [(cost(ordered[:1], now), (0,))] if ordered and may_become(ordered) else []
    while queue:
        _, chosen = heapq.heappop(queue)
        yield tuple(ordered[one] for one in chosen)
        following = chosen[-1] + 1
        for kept in (chosen, chosen[:-1]) if following < len(ordered) else ():
            fixed = [ordered[one] for one in kept]
            if may_become([*fixed, *ordered[following:]]):
                heapq.heappush(queue, (cost([*fixed, ordered[following]], now), (*kept, following)))


def _oldest_first(victims: Sequence[RunningGang]) -> tuple[float, ...]:
    return tuple(-since for since in sorted(victim.queued_since for victim in victims))
