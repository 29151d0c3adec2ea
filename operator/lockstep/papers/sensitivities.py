"""Sensitivities to parameters that a paper sets: results with other values of each parameter."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coschedule import Smoothing
from lockstep.papers.in_shape.shum_figure_5_6 import error_of_forecasts
from lockstep.papers.row import Paper
from lockstep.papers.shum_auction import moves_of_all_tables
from lockstep.papers.shum_current_hour import error_of_current_hour

_PSIS = ("1", "1.05", "1.2", "1.5", "2")
_WEIGHTS = (0.0, 0.3, 0.6, 0.9)
# The weights A and B that the paper sets.
_A, _B = 0.6, 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """The result for each value of one parameter; ``results`` has pairs of a value and a result, both as text."""

    paper: Paper
    parameter: str
    what: str
    results: Sequence[tuple[str, str]]


def sensitivities() -> Iterator[Sensitivity]:
    """Yield A, B and C of the forecast, and ψ of the auction. docs/decisions.md varies Lockstep's own parameters."""
    yield Sensitivity(
        paper=Paper.SHUM,
        parameter="A",
        what="error of forecasts over two hours, B = 0.3",
        results=[(f"{weight:g}", f"{error_of_forecasts(weight, _B, 2):.3f}") for weight in _WEIGHTS],
    )
    yield Sensitivity(
        paper=Paper.SHUM,
        parameter="B",
        what="error of forecasts over two hours, A = 0.6",
        results=[(f"{weight:g}", f"{error_of_forecasts(_A, weight, 2):.3f}") for weight in _WEIGHTS],
    )
    yield Sensitivity(
        paper=Paper.SHUM,
        parameter="C",
        what="error of the load of the current hour, A = 0.6 and B = 0.3",
        results=[(f"{weight:g}", f"{_of_current_hour(weight):.3f}") for weight in (*_WEIGHTS, 1.0)],
    )
    yield Sensitivity(
        paper=Paper.SHUM,
        parameter="ψ",
        what="moves of all auctions of tables 5.1 to 5.4",
        results=[(psi, str(moves_of_all_tables(psi))) for psi in _PSIS],
    )


def _of_current_hour(weight: float) -> float:
    return error_of_current_hour(Smoothing(past=_A, last_hour=_B, forecast=weight))
