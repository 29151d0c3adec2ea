"""How often kinds of nodes that make no difference are taken to make one: prints the shares in docs/algorithms.md.

The times of runs vary by a tenth, and every other run was on the other one of two kinds.
"""

import numpy as np
from rich.console import Console

from coschedule import fit_kinds

SPREAD = 0.1
TEMPLATES = 20_000
RUNS = (6, 10, 20, 50)


def misled(runs: int) -> float:
    """The part of templates with so many runs that are given factors by chance."""
    rng = np.random.default_rng(runs)
    kinds = np.arange(runs) % 2
    fits = (fit_kinds(np.exp(rng.normal(0, SPREAD, runs)), kinds) for _ in range(TEMPLATES))
    return sum(fit is not None and fit.is_better for fit in fits) / TEMPLATES


def main() -> None:
    """Print a row for each number of runs."""
    for runs in RUNS:
        Console().print(f"{runs:3} runs: {misled(runs):.2%} of {TEMPLATES} templates")


if __name__ == "__main__":
    main()
