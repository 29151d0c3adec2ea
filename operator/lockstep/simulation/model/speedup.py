"""How the run time of a simulated job falls with its size.

Downey's model: A. B. Downey, *A model for speedup of parallel programs*, 1997. ``A`` is the average parallelism and
sigma its variation. With sigma 0 the speed-up is linear up to A; a larger sigma means that further members add less.
"""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def downey(most: int, parallelism: float, sigma: float) -> FloatArray:
    """Return the speed-up of 1 to ``most`` members. ``parallelism`` is at least 1, ``sigma`` at least 0."""
    n, a = np.arange(1, most + 1, dtype=np.float64), parallelism
    if sigma <= 1:
        low = a * n / (a + sigma * (n - 1) / 2)
        middle = a * n / (sigma * (a - 0.5) + n * (1 - sigma / 2))
        return np.where(n <= a, low, np.where(n <= 2 * a - 1, middle, a))
    rising = n * a * (sigma + 1) / (sigma * (n + a - 1) + a)
    return np.where(n <= a + a * sigma - sigma, rising, a)


def amdahl(most: int, serial_share: float) -> FloatArray:
    """Return the speed-up of 1 to ``most`` members; one member alone does the ``serial_share``, from 0 to 1."""
    n = np.arange(1, most + 1, dtype=np.float64)
    speedup: FloatArray = 1 / (serial_share + (1 - serial_share) / n)
    return speedup
