"""How much longer members take on this node than on an idle one.

A gang is planned to fill what the others have not requested: it asks for ``cores - requested``, and gets what local
work and the hypervisor leave, ``cores - local - steal``. What takes t on the idle node then takes t * asked / got,
which is (1 + duty cycle) * t. Where members fill the node they get all that local work leaves, so the duty cycle is
local work per unit of gang work, as the papers define it [A]; and it is as well defined where they do not, or there are
none.

- **Local work is what the planner does not know of**: what runs in no pod, and what other pods use beyond their
  requests. What they use of their requests is in ``requested`` already, and would otherwise count twice.
- **A node that local work fills while no gang runs** would seem to leave nothing. A gang that comes gets its fair share
  of the processors, though: a half, one side against the other, is taken until members are seen to get less.
- **On a full node this is a lower bound**: what local work would have used beyond that cannot be seen.
"""

from lockstep.agent.measuring.measured import Usage

LARGEST = 1000.0
"""The largest duty cycle that a bid can have."""
GANG_SEEN = 0.05
"""Cores that members have to use before what they get says anything."""
FULL = 0.02
"""A node is full where less than this part of its processors is free."""
FAIR_SHARE = 0.5


def lost_share(usage: Usage, requested: float) -> float | None:
    """Return the part of what a gang asks for that it does not get, 0 to 1; None where nothing is left to ask for.

    ``requested`` are the cores that pods other than members have requested. A mean of lost shares is that of the work
    which is not done, so they are what is averaged over time, never duty cycles.
    """
    asked = usage.cores_total - max(requested, 0.0)
    if not asked > 0:
        return None
    got = usage.cores_gang + usage.free
    if usage.cores_gang < GANG_SEEN:
        got = max(got, FAIR_SHARE * asked)
    return 1 - min(got / asked, 1.0)


def duty_cycle_of(lost: float) -> float:
    """Return the duty cycle at which this share is lost."""
    return min(lost / (1 - lost), LARGEST) if lost < 1 else LARGEST


def is_full(usage: Usage) -> bool:
    """Whether local work may have wanted more than it got."""
    return usage.free < FULL * usage.cores_total
