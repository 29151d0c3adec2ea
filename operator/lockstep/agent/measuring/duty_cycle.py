"""The duty cycle: how much longer members take on this node than on an idle one.

A gang is planned for the cores that other pods have not requested: it asks for ``cores - requested``. It gets the cores
that members use and the cores that are free: ``gang + free``. Work that takes the time t on the idle node then takes
t * asked / got, which is (1 + duty cycle) * t. If members fill the node, they get all cores that local work leaves. So
the duty cycle is local work per unit of gang work, as the papers define it [A]. It is also defined if members do not
fill the node, or if there are none.

- **Local work is all work that the planner does not count**: work in no pod, and what other pods use beyond their
  requests. What they use within their requests is in ``requested`` already, and would otherwise count twice.
- **If local work fills a node while no gang runs**, it seems to leave nothing. But a gang that starts there gets a fair
  share of the processors. So a half is assumed until members are observed to get less.
- **On a full node this is a lower bound**: local work may have needed more than it got, which can't be observed.
"""

from lockstep.agent.measuring.measured import Usage

LARGEST = 1000.0
"""The largest duty cycle that a bid can have."""
GANG_SEEN = 0.05
"""Members that use fewer cores than this do not show what share of their request they get."""
FULL = 0.02
"""A node is full if less than this share of its processors is free."""
FAIR_SHARE = 0.5


def lost_share(usage: Usage, requested: float) -> float | None:
    """Return the share of a gang's request that the gang does not get, 0 to 1; None if other pods request all cores.

    ``requested`` are the cores that pods other than members have requested. Averages over time are averages of lost
    shares, never of duty cycles: the mean of lost shares is the share of work that is not done.
    """
    asked = usage.cores_total - max(requested, 0.0)
    if not asked > 0:
        return None
    got = usage.cores_gang + usage.free
    if usage.cores_gang < GANG_SEEN:
        got = max(got, FAIR_SHARE * asked)
    return 1 - min(got / asked, 1.0)


def duty_cycle_of(lost: float) -> float:
    """Return the duty cycle at which this share is lost, at most ``LARGEST``."""
    return min(lost / (1 - lost), LARGEST) if lost < 1 else LARGEST


def is_full(usage: Usage) -> bool:
    """Whether local work may have needed more than it got."""
    return usage.free < FULL * usage.cores_total
