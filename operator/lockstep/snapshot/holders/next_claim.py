"""When a group that borrows has used more for its weight than one that holds less than its share: nodes are due then.

No watch shows that moment, so a plan is made at it. The proof: levels a >= b of use for weight grow at rates r < s, and
decay by d. After t seconds they differ by (a - b) e^(-dt) - (s - r)(1 - e^(-dt)) / d. That is zero at
t = log(1 + d (a - b) / (s - r)) / d.
"""

import math
from collections.abc import Iterable

from coschedule import FairShares, GangKey
from lockstep.belief.shares.accounts import DECAY

# Use is charged once a second, and nodes are due only to a group that has used less, not as much.
_LEAST_SECONDS = 1.0


def next_claim(shares: FairShares, waiting: Iterable[GangKey], now: float) -> float:
    """When the group of a waiting gang may next take what it could not take at ``now``, if gangs go on; inf if never.

    The work grows with the square of the groups, of which there are 64 at most.
    """
    if not shares.capacity:
        return math.inf
    every = range(len(shares.groups))
    lenders = sorted({shares.group_of(gang) for gang in waiting})
    below = [group for group in lenders if _beyond_share(shares, group) < 0]
    above = [group for group in every if _beyond_share(shares, group) > 0]
    times = (_seconds_to_passing(shares, one, other) for one in above for other in below)
    return now + min((max(_LEAST_SECONDS, time) for time in times if time >= 0), default=math.inf)


def _beyond_share(shares: FairShares, group: int) -> float:
    return shares.part(shares.groups[group].held) - shares.share_of(group)


def _seconds_to_passing(shares: FairShares, borrower: int, lender: int) -> float:
    """Until the borrower has used more for its weight, at the rates of now; negative if it has."""
    behind = shares.groups[lender].level - shares.groups[borrower].level
    gain = _rate(shares, borrower) - _rate(shares, lender)
    return math.log1p(DECAY * behind / gain) / DECAY if behind >= 0 else -1.0


def _rate(shares: FairShares, group: int) -> float:
    return shares.part(shares.groups[group].held) / shares.groups[group].weight
