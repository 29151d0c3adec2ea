"""How long runs that have ended well took beside what their specs state: what is known, and of how many at most."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

THOUSAND = 1000
MOST_THOUSANDTHS = THOUSAND * THOUSAND
"""A thousand times as stated; the least is a thousandth of that. What is further off says nothing about the work."""
MOST_TEMPLATES = 1000
MOST_RUNS = 50
USUAL_QUANTILE = 0.9
"""Which part of the runs that are known took no longer than what is planned with."""

Runs = tuple[int, ...]
"""Of each run, the oldest first: how many thousandths of the stated run time it took."""

RunsByTemplate = Mapping[str, Mapping[str, Runs]]
"""By namespace and digest of the template; in both, what was learnt of last comes last."""


class Template(NamedTuple):
    """What runs have in common that are expected to take equally long; runs of other namespaces never count."""

    namespace: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """By how much the times of a spec are multiplied for planning, and on how many runs that stands."""

    thousandths: int
    runs: int

    @property
    def times(self) -> float:
        """The factor."""
        return self.thousandths / THOUSAND

    @property
    def spelled(self) -> str:
        """The factor as a status has it, such as ``1.3``: exactly the one that is planned with."""
        return f"{self.times:.3f}".rstrip("0").rstrip(".")


def thousandths_of(factor: float) -> int:
    """A factor in thousandths, within what is kept. ``factor`` is a number that is at least 0."""
    return round(max(1.0, min(factor * THOUSAND, float(MOST_THOUSANDTHS))))
