"""Laws of run times, found the slow way: by solving anew without each run, and by trying coefficients."""

from itertools import combinations, product

import numpy as np

TERMS = (lambda p: 1 / p, lambda p: 1.0, float, lambda p: float(np.log2(p)))


def law(coefficients, size):
    return sum(one * term(size) for one, term in zip(coefficients, TERMS, strict=True))


def forecast(sizes, seconds, terms):
    """Each run's time by the law of the others, solved anew without it."""
    times = []
    for left_out in range(len(sizes)):
        others = [index for index in range(len(sizes)) if index != left_out]
        rows, targets = [], []
        for index in others:
            median = np.median([t for p, t in zip(sizes, seconds, strict=True) if p == sizes[index]])
            rows.append([TERMS[term](sizes[index]) / median for term in terms])
            targets.append(seconds[index] / median)
        solved, _, rank, _ = np.linalg.lstsq(np.array(rows), np.array(targets), rcond=1e-10)
        if rank < len(terms):
            return None
        times.append(sum(one * TERMS[term](sizes[left_out]) for one, term in zip(solved, terms, strict=True)))
    return times


def error(sizes, seconds, terms):
    """By how much runs are missed in the mean; inf where one can't be forecast at all."""
    times = forecast(sizes, seconds, terms)
    if times is None or min(times) <= 0:
        return np.inf
    return np.exp(np.mean([abs(np.log(a / b)) for a, b in zip(times, seconds, strict=True)])) - 1


def sets_of_terms():
    return [list(terms) for count in range(1, 5) for terms in combinations(range(4), count)]


def squares(sizes, seconds, coefficients):
    """The sum of the squared relative errors, beside the median of each size."""
    medians = {p: np.median([t for q, t in zip(sizes, seconds, strict=True) if p == q]) for p in sizes}
    return sum(((law(coefficients, p) - t) / medians[p]) ** 2 for p, t in zip(sizes, seconds, strict=True))


def best_of_grid(sizes, seconds, terms, around, steps=9):
    """The least of ``squares`` among coefficients at least 0, on a grid that is drawn closer again and again."""
    center, width = np.zeros(4), np.zeros(4)
    for term in terms:
        center[term], width[term] = around[term] / 2, around[term] / 2
    for _ in range(40):
        axes = [
            np.clip(np.linspace(c - w, c + w, steps if w else 1), 0, None) for c, w in zip(center, width, strict=True)
        ]
        center = np.array(min(product(*axes), key=lambda one: squares(sizes, seconds, one)))
        width *= 0.6
    return center
