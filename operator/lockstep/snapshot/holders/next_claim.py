"""The next time at which a group of the FairShare may take nodes back from a group that borrows them.

From this time on, the group that borrows has used more, relative to its weight, than the other group, which is below
its share. No watch reports this, so the operator makes a plan at that time.

The proof: let the use divided by weight be a >= b for two groups. It grows at rates r < s, and decays by d. After t
seconds the two differ by (a - b) e^(-dt) - (s - r)(1 - e^(-dt)) / d. That is zero at
t = log(1 + d (a - b) / (s - r)) / d.
"""

import math
from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from coschedule import FairShares, GangKey
from lockstep.belief.shares.accounts import DECAY

# In seconds. Use is charged once a second. A group may take nodes back only if it has used less, not as much.
_LEAST_SECONDS = 1.0


class _GroupUse(NamedTuple):
    """The use of a group divided by its weight (``level``), and the growth of this value in a second (``rate``)."""

    level: float
    rate: float


def next_claim(shares: FairShares, waiting: Iterable[GangKey], now: float) -> float:
    """When the group of a waiting gang may next take nodes that it could not take at ``now``; infinity if never.

    Running gangs are assumed to go on. All pairs of groups are compared; there are at most 65 groups.
    """
    if not shares.capacity:
        return math.inf
    uses = [_GroupUse(one.level, shares.part(one.held) / one.weight) for one in shares.groups]
    share = 1 / math.fsum(one.weight for one in shares.groups)  # for each unit of weight
    lenders = [uses[group] for group in sorted({shares.group_of(gang) for gang in waiting}) if uses[group].rate < share]
    borrowers = [one for one in uses if one.rate > share]
    pairs = (pair for pair in product(borrowers, lenders) if pair[0].level <= pair[1].level)
    return now + min((max(_LEAST_SECONDS, _seconds_to_passing(*pair)) for pair in pairs), default=math.inf)


def _seconds_to_passing(borrower: _GroupUse, lender: _GroupUse) -> float:
    behind, gain = lender.level - borrower.level, borrower.rate - lender.rate
    return math.log1p(DECAY * behind / gain) / DECAY
