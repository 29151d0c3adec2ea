"""Linear least squares on a few columns, with a forecast of each row from the other rows."""

from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import FloatArray

# Columns of length 1 that are closer than this to the span of the others count as dependent.
_LEAST_DISTANCE = 1e-6
_LEAST_FREEDOM = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """The least squares solution of rows·coefficients ≈ targets.

    ``coefficients`` is float[k]. ``covariance``, float[k, k], is computed from the variance of the residuals.
    ``forecasts``, float[n], forecasts each target from all other rows: target - residual / (1 - leverage). A forecast
    is NaN if the other rows alone have no solution.
    """

    coefficients: FloatArray
    covariance: FloatArray
    forecasts: FloatArray


def solve(rows: FloatArray, targets: FloatArray) -> Solution | None:
    """Solve float[n, k]·coefficients ≈ float[n]; return None if columns are linearly dependent, or if n <= k."""
    count, terms = rows.shape
    lengths = np.linalg.norm(rows, axis=0)
    if count <= terms or not lengths.all():
        return None
    basis, triangle = np.linalg.qr(rows / lengths)
    if np.abs(triangle.diagonal()).min() < _LEAST_DISTANCE:
        return None
    inverse = np.linalg.inv(triangle) / lengths[:, None]
    residuals = targets - basis @ (basis.T @ targets)
    variance = float(residuals @ residuals) / (count - terms)
    freedom = 1.0 - (basis**2).sum(axis=1)
    free = freedom > _LEAST_FREEDOM
    forecasts = np.full(count, np.nan)
    forecasts[free] = targets[free] - residuals[free] / freedom[free]
    return Solution(
        coefficients=inverse @ (basis.T @ targets), covariance=variance * (inverse @ inverse.T), forecasts=forecasts
    )
