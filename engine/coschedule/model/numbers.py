"""Numbers of the engine: floats, or ints and fractions that stay exact."""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

Number = int | float | Fraction
"""A finite number, or an infinity where a docstring allows one."""

Vector = npt.NDArray[Any]
"""An array of float64, or of objects that are ints, fractions or infinities."""

Scalar = Any
"""An element of a Vector, or a number computed from elements. Its type is Any, as numpy's types lack fractions."""

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
PositionArray = npt.NDArray[np.signedinteger[Any]]
"""Positions, in any integer width."""
BoolArray = npt.NDArray[np.bool_]


def as_number(value: Number) -> Number:
    """Turn a numpy float into a Python float, which prints differently; return other numbers unchanged."""
    return float(value) if isinstance(value, float) else value
