"""The power that each member always has, and the share of each node's time for it [D 2.2, 3.2.1, 3.2.2].

Objective: members that wait for one another at each step are no faster than the member with the least power. Node i has
the power weight W_i and leaves the share F_i of its time free. So a member on node i has at most the power
rho_i = W_i * F_i, and all members can have rho = min rho_i (3.8). More than rho on a node would be useless. A member on
node i needs the share rho / W_i of all time. So it needs one of every pace_i free slices, where pace_i = rho_i / rho
(3.13).

Formula (3.4), the power that is left on the slowest node, is not used. It can be more than a fast node with much local
work can give.

Method: direct, O(nodes). A pace is seldom a whole number. If it were rounded, the member would drift away from the
others. So ``TimeCredit`` counts the time used instead. Ints and fractions stay exact.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """The number of nodes, their total power (2.2), and their heterogeneity (2.3), 0 when all nodes are equal.

    Power is in units of the fastest node.
    """

    members: int
    power: Number
    heterogeneity: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPace:
    """The pace of a gang with a member on each node; entry i of the tuples is node i.

    ``power`` is the power of each member, in the unit of the weights. ``paces`` is the power that node i could give,
    divided by ``power``; it is 1 or more. ``shares`` is the part of its time that node i gives to the member, at most
    its free part. ``limiting`` is the first node that can give only ``power``.
    """

    power: Number
    paces: tuple[Number, ...]
    shares: tuple[Number, ...]
    limiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoPace:
    """``node`` is the index of the first node that leaves no time to a member."""

    node: int


def measure_network(weights: Sequence[Number]) -> Network:
    """Measure the heterogeneity of nodes; a weight is a node's power divided by the power of the fastest node.

    InvalidValueError unless weights are above 0 and at most 1, and for an empty list. Source: [D 2.2], (2.2) and (2.3).
    """
    _check_weights(weights, largest=1)
    members = len(weights)
    return Network(
        members=members,
        power=_sum(weights),
        heterogeneity=Fraction(1, members) * _sum([1 - weight for weight in weights]),
    )


def keep_pace(weights: Sequence[Number], free: Sequence[Number]) -> LocalPace | NoPace:
    """Give each member the power of the node with the least power; the module has the formulas.

    ``weights[i]`` is the power of node i, above 0, in any unit. ``free[i]`` is the share of its time that local work
    and the kernel leave, from 0 to 1. InvalidValueError for other numbers, for lists of different lengths, and without
    nodes. Source: [D 3.2], (3.6) to (3.8) and (3.13).
    """
    _check_weights(weights, largest=math.inf)
    _check_free(free, nodes=len(weights))
    powers = [weight * share for weight, share in zip(weights, free, strict=True)]
    power = min(powers)
    limiting = powers.index(power)
    if not power:
        return NoPace(node=limiting)
    shares = (min(_ratio(power, weight), share) for weight, share in zip(weights, free, strict=True))
    return LocalPace(
        power=power, paces=tuple(_ratio(own, power) for own in powers), shares=tuple(shares), limiting=limiting
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeCredit:
    """The account of one member on one node: the seconds that its share has earned, minus those that it has used.

    Guarantee: a member that runs whenever it ``is_due``, and uses whole slices, has had ceil(n * share) of n slices. So
    it always has at least its share of the time, and less than one slice more than that. A member that gives a slice
    back early pays only for what it used, and is due again sooner. Source: [D 3.2.2, figure 2].

    ``share`` is above 0 and at most 1. ``balance`` is the number of seconds that are earned and not yet used; it is
    finite. InvalidValueError otherwise.
    """

    share: Number
    balance: Number = 0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise InvalidValueError("share", "must be above 0 and at most 1")
        if not -math.inf < self.balance < math.inf:
            raise InvalidValueError("balance", "must be finite")

    def is_due(self, slice_seconds: Number) -> bool:
        """Return whether the member must run in the next slice to have its share at the end of the slice."""
        return self.balance + self.share * slice_seconds > 0

    def after(self, *, elapsed: Number, used: Number) -> "TimeCredit":
        """Return the account after ``elapsed`` seconds, of which the member used ``used``; both at least 0."""
        if not 0 <= elapsed < math.inf:
            raise InvalidValueError("elapsed", "must be at least 0 and finite")
        if not 0 <= used <= elapsed:
            raise InvalidValueError("used", "must be at least 0 and not more than what has elapsed")
        return replace(self, balance=self.balance + self.share * elapsed - used)


def _ratio(dividend: Number, divisor: Number) -> Number:
    """Divide; exact when both numbers are."""
    return dividend / divisor if isinstance(dividend, float) else Fraction(1) * dividend / divisor


def _sum(numbers: Sequence[Number]) -> Number:
    """Sum up by halves, so that most sums are of fractions with small denominators."""
    if len(numbers) == 1:
        return numbers[0]
    middle = len(numbers) // 2
    return _sum(numbers[:middle]) + _sum(numbers[middle:])


def _check_weights(weights: Sequence[Number], *, largest: Number) -> None:
    if not weights:
        raise InvalidValueError("weights", "must hold at least one weight")
    above = "finite" if largest == math.inf else f"at most {largest}"
    for index, weight in enumerate(weights):
        if not 0 < weight <= largest or weight == math.inf:
            raise InvalidValueError(f"weights[{index}]", f"must be above 0 and {above}")


def _check_free(free: Sequence[Number], *, nodes: int) -> None:
    if len(free) != nodes:
        raise InvalidValueError("free", f"must hold {nodes} shares, one for each weight")
    for index, share in enumerate(free):
        if not 0 <= share <= 1:
            raise InvalidValueError(f"free[{index}]", "must be from 0 to 1")
