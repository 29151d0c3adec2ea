"""The division of workstations by trying every combination of levels, and by a second exact method."""

from fractions import Fraction
from itertools import product
from math import prod


def best_levels(applications, total):
    """Return product, workstations and levels of the best combination; None when none fits.

    An application is a list of (workstations, speed-up). Ties: fewest workstations, then lowest levels.
    """
    best = None
    for levels in product(*(range(len(application)) for application in applications)):
        chosen = [application[level] for application, level in zip(applications, levels, strict=True)]
        used = sum(workstations for workstations, _ in chosen)
        if used > total:
            continue
        candidate = (-prod((speedup for _, speedup in chosen), start=Fraction(1)), used, levels)
        best = candidate if best is None else min(best, candidate)
    return None if best is None else (-best[0], best[1], best[2])


def best_product(applications, total):
    """Return the largest product by merging lists of combinations that none beats in both respects."""
    frontier = [(0, Fraction(1))]
    for application in applications:
        reached = sorted(
            ((used + more, -value * speedup) for used, value in frontier for more, speedup in application),
        )
        frontier = []
        for used, negative in reached:
            if used <= total and (not frontier or -negative > frontier[-1][1]):
                frontier.append((used, -negative))
    return frontier[-1][1] if frontier else None
