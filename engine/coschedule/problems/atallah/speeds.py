"""The speed that each further member on a node adds.

With j members on a node, each at slow-down e_j, the node contributes j / e_j to the speed of the gang.
"""

from fractions import Fraction

import numpy as np

from coschedule.model.numbers import Vector
from coschedule.problems.atallah.node_columns import NodeColumns


def inverse(slowdown: Vector) -> Vector:
    """Return the speed of a member, exact for exact slow-downs."""
    speed: Vector = (Fraction(1) if slowdown.dtype == object else 1.0) / slowdown
    return speed


def are_regular(columns: NodeColumns) -> bool:
    """Return whether each further member on a node adds a positive speed, and no more than the member before.

    This is so if each node has one slow-down. Otherwise all steps after the first must be single slots.
    """
    if len(columns.node) == len(columns.start):
        return True
    gains = step_gains(columns)
    same = columns.node[1:] == columns.node[:-1]
    alone = columns.count[1:] == 1
    falling = gains[1:] <= gains[:-1]
    return bool((gains > 0).all() and (~same | (alone & falling.astype(np.bool_))).all())


def step_gains(columns: NodeColumns) -> Vector:
    """Return the speed that the first slot of each step adds to the speed of the steps before it."""
    speed = inverse(columns.slowdown)
    after = np.cumsum(columns.count)
    before = after - columns.count
    held = before - before[np.searchsorted(columns.node, columns.node)]
    contributed = np.zeros_like(speed)
    contributed[1:] = speed[:-1]
    gains: Vector = (held + 1) * speed - held * contributed
    return gains
