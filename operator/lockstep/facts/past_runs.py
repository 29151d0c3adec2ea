"""Successful past runs: how long each took, and how many are kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from coschedule import KindFit, NoFit, WorkFit

THOUSAND = 1000
MOST_THOUSANDTHS = THOUSAND * THOUSAND
"""Run time factors are limited to the range from 0.001 to 1,000; beyond it they say nothing about the work."""
KIND_LABEL = "node.kubernetes.io/instance-type"
"""The label that names the kind of a node."""
KIND_PATTERN = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
"""The pattern of a label value that is not empty."""
MOST_KINDS = 256
"""The most different kinds that are kept for all runs together."""
MOST_MEMBERS = 10_000
MOST_MILLISECONDS = 10**12
MOST_TEMPLATES = 1000
MOST_RUNS = 50
MOST_RUNS_OF_ALL = 20_000
USUAL_QUANTILE = 0.9
"""This share of the known runs took no longer than the run time used for planning."""

_KEPT_OF_SIZE = 3
_LEAST_GAIN = 0.9


class PastRun(NamedTuple):
    """One run; it took ``thousandths`` thousandths of the stated time for its size and nodes.

    ``members`` is the number of members that did a part of the work. The run took ``milliseconds``. ``slowdown``
    compares their nodes with idle reference nodes, in thousandths. These three numbers are 0 if only ``thousandths`` is
    known. ``kind`` is the kind of all their nodes; empty if there were several kinds, or none.
    """

    thousandths: int
    members: int = 0
    slowdown: int = 0
    milliseconds: int = 0
    kind: str = ""


Runs = tuple[PastRun, ...]
"""Runs of one template, the oldest first."""

RunsByTemplate = Mapping[str, Mapping[str, Runs]]
"""Runs by namespace and digest of the template; in both mappings, the last updated entry comes last."""


class Template(NamedTuple):
    """Identifies runs that are expected to take equally long. Runs in other namespaces never count."""

    namespace: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """The law fitted to the runs of a template, and the error of the stated run times for the same runs."""

    fit: WorkFit | NoFit
    stated_error: float

    @property
    def better(self) -> WorkFit | None:
        """The law, if it predicts runs better than the stated times do; None otherwise.

        For ``stated_error``, the stated time of each run is scaled by the factor of the other runs. The error of the
        law must be lower by a tenth, so that chance does not change the choice every day.
        """
        if isinstance(self.fit, NoFit) or self.fit.error >= _LEAST_GAIN * self.stated_error:
            return None
        return self.fit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kinds:
    """The fit of node kinds to the runs of a template; ``names`` are the kinds, in the order of ``fit``."""

    names: tuple[str, ...]
    fit: KindFit

    @property
    def factors(self) -> dict[str, float]:
        """The factor of each kind on run times; empty if run times are predicted no better with these factors."""
        return dict(zip(self.names, self.fit.times.tolist(), strict=True)) if self.fit.is_better else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """The factor on run times for planning, in ``thousandths``, and the number of ``runs`` behind it.

    The factor applies to the run times of the spec. If the gang learns and its law is better, the factor applies to the
    law instead. Only gangs that learn have ``judged``. They also have ``kinds`` if enough runs are known: then the
    factors of kinds apply, too.
    """

    thousandths: int
    runs: int
    judged: Judged | None = None
    kinds: Kinds | None = None

    @property
    def factors(self) -> dict[str, float]:
        """The factor of each kind of node on the gang's run time."""
        return {} if self.kinds is None else self.kinds.factors

    @property
    def times(self) -> float:
        """The factor as a number."""
        return self.thousandths / THOUSAND

    @property
    def formatted(self) -> str:
        """The factor as text, such as ``1.3``."""
        return formatted_factor(self.times)

    @property
    def law(self) -> WorkFit | None:
        """The law that replaces the run times of the spec, if any."""
        return None if self.judged is None else self.judged.better


def formatted_factor(factor: float) -> str:
    """A factor as text in a status, such as ``1.3``; reading it back gives the factor used for planning."""
    return f"{factor:.9f}".rstrip("0").rstrip(".")


def thousandths_of(factor: float) -> int:
    """A factor in thousandths, limited to the range that is kept. ``factor`` is at least 0."""
    return round(max(1.0, min(factor * THOUSAND, float(MOST_THOUSANDTHS))))


def run_of(factor: float, *, members: int = 0, slowdown: float = 0.0, seconds: float = 0.0, kind: str = "") -> PastRun:
    """A run with values limited to their bounds. If ``members`` is 0 or above 10,000, only the ``factor`` is kept.

    All values are >= 0.
    """
    if not 0 < members <= MOST_MEMBERS:
        return PastRun(thousandths_of(factor))
    milliseconds = round(max(1.0, min(seconds * THOUSAND, float(MOST_MILLISECONDS))))
    return PastRun(thousandths_of(factor), members, thousandths_of(slowdown), milliseconds, kind)


def last_runs(runs: Runs) -> Runs:
    """The runs of one template that are kept, at most 50.

    The oldest runs are dropped first. But the last three of each size are dropped only when no other runs are left. So
    it stays known how the run time of a template depends on its size, even if most runs have one size.
    """
    while len(runs) > MOST_RUNS:
        dropped = next((number for number in range(len(runs)) if _has_younger(runs, number)), 0)
        runs = (*runs[:dropped], *runs[dropped + 1 :])
    return runs


def _has_younger(runs: Runs, number: int) -> bool:
    return sum(run.members == runs[number].members for run in runs[number + 1 :]) >= _KEPT_OF_SIZE
