"""Sets of victims, the cheapest first: least lost work, then fewest gangs, then the youngest.

Of two sets that are equal in the first two, the one is younger whose oldest gang is; then whose second oldest; then the
first by the names of its gangs.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence

from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.running import RunningGang

Cost = tuple[float, int, tuple[float, ...], tuple[GangKey, ...]]


def cost(victims: Sequence[RunningGang], now: float) -> Cost:
    """What evicting a set costs; less is better, and no two sets are equal."""
    lost = sum(victim.lost_work(now) for victim in victims)
    return lost, len(victims), _oldest_first(victims), tuple(sorted(victim.key for victim in victims))


def cheapest_first(
    candidates: Sequence[RunningGang], now: float, may_become: Callable[[Sequence[RunningGang]], bool]
) -> Iterator[tuple[RunningGang, ...]]:
    """Every set of candidates but none, by cost; ``may_become`` says whether a set or a part of it is worth a look.

    Branch and bound, best first: a set is followed by the one with the next candidate besides, and by the one with the
    next in the place of its last. Both cost more, and so each set comes once, and in order.
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
