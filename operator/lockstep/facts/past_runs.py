"""How long runs that have ended well took: what is known of each, and of how many at most."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from coschedule import KindFit, NoFit, WorkFit

THOUSAND = 1000
MOST_THOUSANDTHS = THOUSAND * THOUSAND
"""A thousand times as stated; the least is a thousandth of that. What is further off says nothing about the work."""
KIND_LABEL = "node.kubernetes.io/instance-type"
"""The label of nodes that names their kind."""
KIND_PATTERN = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
"""What the value of a label looks like that is not empty."""
MOST_KINDS = 256
"""So many different kinds are kept of all runs together."""
MOST_MEMBERS = 10_000
MOST_MILLISECONDS = 10**12
MOST_TEMPLATES = 1000
MOST_RUNS = 50
MOST_RUNS_OF_ALL = 20_000
USUAL_QUANTILE = 0.9
"""Which part of the runs that are known took no longer than what is planned with."""

_KEPT_OF_SIZE = 3
_LEAST_GAIN = 0.9


class PastRun(NamedTuple):
    """One run: ``thousandths`` of the stated run time it took, for its size and its nodes.

    ``members`` did a part of the work, on nodes that made it ``slowdown`` thousandths times as long as idle reference
    nodes; it took ``milliseconds``. These three are 0 where only the first is known. ``kind`` is that of all their
    nodes; empty where they were of several, or of none.
    """

    thousandths: int
    members: int = 0
    slowdown: int = 0
    milliseconds: int = 0
    kind: str = ""


Runs = tuple[PastRun, ...]
"""The oldest first."""

RunsByTemplate = Mapping[str, Mapping[str, Runs]]
"""By namespace and digest of the template; in both, what was learnt of last comes last."""


class Template(NamedTuple):
    """What runs have in common that are expected to take equally long; runs of other namespaces never count."""

    namespace: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """What the runs of a template tell of its run time, and by how much what is stated misses them: as an error."""

    fit: WorkFit | NoFit
    stated_error: float

    @property
    def better(self) -> WorkFit | None:
        """The law, where it foretells a run better than what is stated, multiplied by what the other runs took.

        Its error has to be less by a tenth, so that chance does not change every day what is planned with.
        """
        if isinstance(self.fit, NoFit) or self.fit.error >= _LEAST_GAIN * self.stated_error:
            return None
        return self.fit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kinds:
    """What the runs of a template tell of kinds of nodes; those of ``fit`` have these ``names``, in their order."""

    names: tuple[str, ...]
    fit: KindFit

    @property
    def factors(self) -> dict[str, float]:
        """By the name of a kind how many times as long runs take there; empty where that foretells them no better."""
        return dict(zip(self.names, self.fit.times.tolist(), strict=True)) if self.fit.is_better else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """By how much run times are multiplied for planning, and on how many runs that stands.

    They are those of the spec, or those of the law that the runs have followed, where the gang wants that and the law
    is better. Who wants it has ``judged``, and ``kinds`` where enough is known of them: their factors come on top.
    """

    thousandths: int
    runs: int
    judged: Judged | None = None
    kinds: Kinds | None = None

    @property
    def factors(self) -> dict[str, float]:
        """By the name of a kind of nodes how many times as long as elsewhere the gang takes there."""
        return {} if self.kinds is None else self.kinds.factors

    @property
    def times(self) -> float:
        """The factor."""
        return self.thousandths / THOUSAND

    @property
    def spelled(self) -> str:
        """The factor, such as ``1.3``."""
        return spelled_factor(self.times)

    @property
    def law(self) -> WorkFit | None:
        """What is planned with in the place of the spec's own times."""
        return None if self.judged is None else self.judged.better


def spelled_factor(factor: float) -> str:
    """A factor as a status has it, such as ``1.3``; what is planned with is known again from it."""
    return f"{factor:.9f}".rstrip("0").rstrip(".")


def thousandths_of(factor: float) -> int:
    """A factor in thousandths, within what is kept. ``factor`` is a number that is at least 0."""
    return round(max(1.0, min(factor * THOUSAND, float(MOST_THOUSANDTHS))))


def run_of(factor: float, *, members: int = 0, slowdown: float = 0.0, seconds: float = 0.0, kind: str = "") -> PastRun:
    """A run as it is kept, within its bounds; without ``members`` only the ``factor`` is known. All are at least 0."""
    if not 0 < members <= MOST_MEMBERS:
        return PastRun(thousandths_of(factor))
    milliseconds = round(max(1.0, min(seconds * THOUSAND, float(MOST_MILLISECONDS))))
    return PastRun(thousandths_of(factor), members, thousandths_of(slowdown), milliseconds, kind)


def last_runs(runs: Runs) -> Runs:
    """The runs of one template that are kept of these.

    The oldest goes first. But the last three of each size stay as long as there are others: a template that runs with
    one size most of the time does not forget how it scales.
    """
    while len(runs) > MOST_RUNS:
        dropped = next((number for number in range(len(runs)) if _has_younger(runs, number)), 0)
        runs = (*runs[:dropped], *runs[dropped + 1 :])
    return runs


def _has_younger(runs: Runs, number: int) -> bool:
    return sum(run.members == runs[number].members for run in runs[number + 1 :]) >= _KEPT_OF_SIZE
