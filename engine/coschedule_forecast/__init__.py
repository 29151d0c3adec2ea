"""Formulas that forecast the load of the next hours from the hours of past days and of today [C 5.5, pages 64-67].

This package is separate from ``coschedule`` since the node agent also needs it, in less memory than numpy takes. It
uses only the standard library. ``coschedule.forecast_load`` checks a whole history and forecasts from it.

Let X[d][h] be the mean of an hour (of twelve five-minute loads), and x the newest five-minute load:

    Z[d][h]    = A * Z[d-1][h] + (1 - A) * X[d-1][h], from Z[0] = X[0]        (5.1) the habits of the hour
    Y^[d][h+i] = B**(i+1) * X[d][h-1] + (1 - B**(i+1)) * Z[d][h+i]            (5.2) the hours from this one on
    Y[d][h]    = C * Y^[d][h] + (1 - C) * x                                   (5.3) this hour, corrected by now

The same formulas also forecast presence, from the part of each hour in which an owner was present. Ints and fractions
stay exact.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

Number = int | float | Fraction


def habits_after(days: Sequence[Sequence[Number]], *, past: Number) -> tuple[Number, ...]:
    """Apply (5.1) to at least one day, the oldest first; return Z of the next day, a number an hour; ``past`` is A."""
    habits = tuple(days[0])
    for day in days:
        habits = next_habits(habits, day, past=past)
    return habits


def next_habits(habits: Sequence[Number], measured: Sequence[Number], *, past: Number) -> tuple[Number, ...]:
    """Apply (5.1) once: return the new Z of the hours that were ``measured``, the day's first hours; ``past`` is A."""
    return tuple(blend(past, habit, load) for habit, load in zip(habits, measured, strict=False))


def hours_ahead(habits: Iterable[Number], *, last: Number, last_hour: Number) -> tuple[Number, ...]:
    """Apply (5.2): return Y^ of the hours of ``habits``, this hour first; ``last`` is X[d][h-1], ``last_hour`` is B."""
    return tuple(blend(last_hour ** (ahead + 1), last, habit) for ahead, habit in enumerate(habits))


def blend(weight: Number, one: Number, other: Number) -> Number:
    """Return weight * one + (1 - weight) * other; with C, the forecast and the newest load, this is (5.3)."""
    return weight * one + (1 - weight) * other
