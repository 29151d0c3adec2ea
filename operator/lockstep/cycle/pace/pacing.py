"""How much CPU the members of a gang need to keep up with the slowest member: pure functions of facts.

``keep_pace`` gives the share of its node's time that a member needs. The limit is 10 % above this share, because steps
of work differ. The kernel's quota is exact to a thousandth of a core and counts in periods of a tenth of a second. Time
that a member leaves unused is lost: the paper's credit for it (``coschedule.TimeCredit``) is not used.
"""

from collections.abc import Mapping
from math import ceil
from typing import NamedTuple

from coschedule import NoPace, keep_pace
from lockstep.facts.pods.pace import Cpu

MARGIN = 1.1
FLOOR = 10
"""The least CPU of a paced container, in thousandths of a core: the kernel's quota can't give less."""

_TOLERANCE = 0.1
# The digits that are kept before rounding up, so that a rounding error does not add a thousandth of a core.
_DIGITS = 6


class PaceOffer(NamedTuple):
    """The offer of a node: the part ``left`` of its time is free for members.

    Members on this node take ``slowdown`` times as long as on an idle reference node.
    """

    slowdown: float
    left: float


class NodePace(NamedTuple):
    """The ``share`` of a node's time that a member needs to keep up. The part ``left`` of the time is free for members.

    ``keeps_limits`` says whether a member may use more than its share while other pods leave time unused.
    """

    share: float
    left: float
    keeps_limits: bool = False

    @property
    def is_slow(self) -> bool:
        """Whether a member needs nearly all free time. Then it is not paced."""
        return self.share * MARGIN >= self.left


YIELDING = NodePace(share=0.1, left=1.0)
"""The pace on a node that its owner uses: little time, but enough to answer liveness probes."""


def node_paces(offers: Mapping[str, PaceOffer], *, keeps_limits: bool = False) -> Mapping[str, NodePace]:
    """The pace of members on each of these nodes.

    The paper's power weight W of a node is the speed of members there if all its time were free.
    """
    if not offers:
        return {}
    left = [offer.left for offer in offers.values()]
    pace = keep_pace([1 / (offer.slowdown * offer.left) for offer in offers.values()], left)
    assert not isinstance(pace, NoPace), "no bid takes all time of its node"
    shares = map(float, pace.shares)
    return {node: NodePace(share, free, keeps_limits) for node, share, free in zip(offers, shares, left, strict=True)}


def slowest(offers: Mapping[str, PaceOffer]) -> str | None:
    """The node whose members set the pace: the first of equally slow ones; None if there are no offers."""
    return max(offers, key=lambda node: offers[node].slowdown, default=None)


def paced_cpu(unpaced: Cpu, share: float, *, most: int, is_guaranteed: bool) -> Cpu:
    """The amounts of a paced container: that share of its unpaced amounts, and never more than these.

    Without a limit, a container is assumed to use its request. ``most`` is the CPU of its node, in thousandths of a
    core. A share of 0 gives the least CPU, ``FLOOR``. If the pod is not of QoS class Guaranteed, the limit stays above
    the request, so that the class does not change.
    """
    limit = max(FLOOR, _whole(MARGIN * share * min(_base(unpaced), most)))
    if is_guaranteed:
        limit = min(limit, unpaced.request)
        return Cpu(limit, limit)
    request = _paced_request(unpaced, share, most=most)
    limit = max(limit, request + 1)
    return Cpu(request, limit if unpaced.limit is None else min(limit, unpaced.limit))


def shared_cpu(unpaced: Cpu, now: Cpu, share: float, *, most: int) -> Cpu:
    """The amounts of a paced container that may use what others leave: the paced request, and the unpaced limit.

    The pod must not be of QoS class Guaranteed.
    """
    limit = unpaced_cpu(unpaced, now, most=most).limit
    return Cpu(_paced_request(unpaced, share, most=most), limit)


def unpaced_cpu(unpaced: Cpu, now: Cpu, *, most: int) -> Cpu:
    """The amounts of a container that is no longer paced.

    A limit that pacing added stays, and is raised to ``most``.
    """
    if unpaced.limit is not None or now.limit is None:
        return unpaced
    return Cpu(unpaced.request, max(most, unpaced.request))


def differs_enough(unpaced: Cpu, now: Cpu, wanted: Cpu, pace: NodePace, *, most: int) -> bool:
    """Whether the request or the limit of a container differs by more than a tenth from the wanted one.

    Only the part of the limit that the container can use counts. So members near the slowest one are not resized back
    and forth. A kept limit must be exact, to a thousandth of a core.
    """
    if pace.keeps_limits:
        return wanted.limit != now.limit or _differ(wanted.request, now.request)
    base = min(_base(unpaced), most)
    has = base * pace.left if now.limit is None else min(now.limit, base * pace.left)
    limit = max(FLOOR, MARGIN * pace.share * base)
    return _differ(limit, has) or _differ(wanted.request, now.request)


def is_paced(unpaced: Cpu, now: Cpu) -> bool:
    """Whether the container has less CPU than its unpaced amounts."""
    return now.request < unpaced.request or (now.limit or _base(unpaced)) < _base(unpaced)


def _paced_request(unpaced: Cpu, share: float, *, most: int) -> int:
    return min(unpaced.request, max(FLOOR, _whole(share * min(_base(unpaced), most))))


def _differ(wanted: float, has: float) -> bool:
    return abs(wanted - has) > _TOLERANCE * has


def _whole(amount: float) -> int:
    return ceil(round(amount, _DIGITS))


def _base(unpaced: Cpu) -> int:
    """The CPU that a container can use while it is not paced, in thousandths of a core."""
    return unpaced.request if unpaced.limit is None else unpaced.limit
