"""What CPU the members of a gang need to keep up with the slowest of them: pure functions of facts.

A member needs the share of all time of its node that ``keep_pace`` gives it, and gets 10 % more as its limit: its work
is not the same at every step. A quota of the kernel counts the time that is used, to a thousandth of a core and every
tenth of a second, so fractional shares need no credit beside it. Unused time is lost, and the paper's credit for it
left out: docs/pace.md says why.
"""

from collections.abc import Mapping
from math import ceil
from typing import NamedTuple

from coschedule import NoPace, keep_pace
from lockstep.facts.pods.pace import Cpu

MARGIN = 1.1
FLOOR = 10
"""The least that a member is paced to, in thousandths of a core: below it the kernel's quota gives no less."""

_NO_NEWS = 0.1
# What only rounding has added is no thousandth of a core.
_DIGITS = 6


class PaceOffer(NamedTuple):
    """What a node offers members: a part ``left`` of its time, with which they are ``slowdown`` times as long at work.

    That is beside an idle reference node.
    """

    slowdown: float
    left: float


class NodePace(NamedTuple):
    """What a member on a node needs to keep up: ``share`` of all its time, of which ``left`` is there for members."""

    share: float
    left: float

    @property
    def is_slow(self) -> bool:
        """Whether a member needs all that is left there, or nearly so: it is not paced."""
        return self.share * MARGIN >= self.left


YIELDING = NodePace(share=0.1, left=1.0)
"""What members have on a node that its owner uses: little, but enough to answer those who ask whether they live."""


def node_paces(offers: Mapping[str, PaceOffer]) -> Mapping[str, NodePace]:
    """What members need on each of these nodes, where the gang has members.

    The power weight W of a node is what it would do for them if nothing of its time were taken.
    """
    if not offers:
        return {}
    left = [offer.left for offer in offers.values()]
    pace = keep_pace([1 / (offer.slowdown * offer.left) for offer in offers.values()], left)
    assert not isinstance(pace, NoPace), "no bid takes all time of its node"
    return {node: NodePace(float(share), free) for node, share, free in zip(offers, pace.shares, left, strict=True)}


def slowest(offers: Mapping[str, PaceOffer]) -> str | None:
    """The node among these whose members set the pace: the first, where several are equally slow."""
    return max(offers, key=lambda node: offers[node].slowdown, default=None)


def paced_cpu(unpaced: Cpu, share: float, *, most: int, is_guaranteed: bool) -> Cpu:
    """What a container gets that needs that share of what it has while it is not paced; never more than that.

    Without a limit it is taken to use what it requests. ``most`` is what its node has, in thousandths of a core. A
    share of 0 gives the floor. The limit of a pod that is not guaranteed stays above the request, so that it does not
    become so.
    """
    base = min(_base(unpaced), most)
    limit = max(FLOOR, _whole(MARGIN * share * base))
    if is_guaranteed:
        limit = min(limit, unpaced.request)
        return Cpu(limit, limit)
    request = min(unpaced.request, max(FLOOR, _whole(share * base)))
    limit = max(limit, request + 1)
    return Cpu(request, limit if unpaced.limit is None else min(limit, unpaced.limit))


def unpaced_cpu(unpaced: Cpu, now: Cpu, *, most: int) -> Cpu:
    """The same container without pace. A limit that it has got since can't be removed, but raised out of the way."""
    if unpaced.limit is not None or now.limit is None:
        return unpaced
    return Cpu(unpaced.request, max(most, unpaced.request))


def is_news(unpaced: Cpu, now: Cpu, wanted: Cpu, pace: NodePace, *, most: int) -> bool:
    """Whether the request or the limit that a container has differs by more than a tenth from what it should be.

    Of the limit counts what the container can use of it, so that nobody is resized to and fro near the slowest.
    """
    base = min(_base(unpaced), most)
    has = base * pace.left if now.limit is None else min(now.limit, base * pace.left)
    limit = max(FLOOR, MARGIN * pace.share * base)
    return _differ(limit, has) or _differ(wanted.request, now.request)


def is_paced(unpaced: Cpu, now: Cpu) -> bool:
    """Whether the container has less than it would have without pace."""
    return now.request < unpaced.request or (now.limit or _base(unpaced)) < _base(unpaced)


def _differ(wanted: float, has: float) -> bool:
    return abs(wanted - has) > _NO_NEWS * has


def _whole(amount: float) -> int:
    return ceil(round(amount, _DIGITS))


def _base(unpaced: Cpu) -> int:
    """What a container can use while it is not paced."""
    return unpaced.request if unpaced.limit is None else unpaced.limit
