"""Describes learned run times in sentences, for statuses and commands."""

import math
from collections.abc import Sequence

from coschedule import NoFit, Shortage, WorkFit
from lockstep.belief.run_times.past_runs import LEAST_RUNS
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.status import WorkSource, WorkUsed
from lockstep.facts.past_runs import Judged, Kinds, Learned
from lockstep.report.text.sentences import as_sentence, n_members, percentage

MOST_KINDS_SHOWN = 2

_A_FORMULA = "a formula for the run time"
_LEAST_ERROR = 0.0001
_MOST_ERROR = 10.0


def work_used(gang: GangFact, learned: Learned | None) -> WorkUsed | None:
    """Whether plans use learned or stated run times, and why; None if the spec does not ask for learned run times."""
    if not isinstance(gang, AcceptedGang) or not gang.spec.learns:
        return None
    if learned is None or learned.judged is None:
        few = f"Lockstep knows fewer than {LEAST_RUNS} runs of the template, or does not learn from runs here."
        return WorkUsed(WorkSource.STATED, few)
    source = WorkSource.STATED if learned.law is None else WorkSource.LEARNED
    by_kind = "" if learned.kinds is None else f"; {by_kinds(learned.kinds)}"
    return WorkUsed(source, as_sentence(why_used(learned.judged) + by_kind))


def why_used(judged: Judged) -> str:
    """A clause that says why plans use the formula of earlier runs, or the stated times."""
    if isinstance(judged.fit, NoFit):
        return shortage_clause(judged.fit)
    runs = f"{judged.fit.runs} runs {with_sizes(judged.fit.sizes)}"
    by_formula = f"{error_percentage(judged.fit.error)} with the formula of earlier runs"
    errors = f"{by_formula}, and by {error_percentage(judged.stated_error)} with the stated times"
    return f"forecasts of {runs} are off by {errors}, on average"


def by_kinds(kinds: Kinds) -> str:
    """A clause about the run times by kind of node, and whether plans use them."""
    by_kind, alike = error_percentage(kinds.fit.error), error_percentage(kinds.fit.error_alike)
    if not kinds.factors:
        return f"kinds of nodes do not improve forecasts: with kinds they are off by {by_kind}, without by {alike}"
    return f"runs take {_each_kind(kinds)}: with kinds of nodes, forecasts are off by {by_kind}, and without by {alike}"


def _each_kind(kinds: Kinds) -> str:
    """``0.5 times as long as usual on gpu (3 runs), 1.2 times as long on m5 (7 runs)``.

    If there are many kinds, only the kinds that differ most are named.
    """
    runs = dict(zip(kinds.names, kinds.fit.runs.tolist(), strict=True))
    furthest = sorted(kinds.factors.items(), key=lambda one: (-abs(math.log(one[1])), one[0]))
    # The text explains only the first number: a status has room for 512 characters.
    as_usual = [" as usual", *[""] * len(furthest)]
    shown = [
        f"{times:.2g} times as long{usual} on {name} ({_n_runs(runs[name])})"
        for usual, (name, times) in zip(as_usual, furthest, strict=False)
    ]
    more = [f"other times on {len(shown) - MOST_KINDS_SHOWN} more kinds"] if len(shown) > MOST_KINDS_SHOWN else []
    return ", ".join([*shown[:MOST_KINDS_SHOWN], *more])


def shortage_clause(fit: NoFit) -> str:
    """A clause that says how many runs can be compared, and how many runs and sizes a formula needs."""
    if fit.shortage is Shortage.ONE_SIZE:
        had = f"all {fit.runs} runs had {n_members(fit.sizes[0])}"
        return f"{had}, and {_A_FORMULA} needs runs with {fit.needed_sizes} sizes"
    ran = (
        f"Lockstep can compare {_n_runs(fit.runs)} {with_sizes(fit.sizes)}"
        if fit.runs
        else "Lockstep can compare no run"
    )
    return f"{ran}, and {_A_FORMULA} needs {fit.needed_runs} runs with {fit.needed_sizes} sizes"


def left_out(fit: WorkFit) -> str:
    """A clause that says how many runs were left out."""
    were, do = ("was", "does") if fit.left_out == 1 else ("were", "do")
    return f"{_n_runs(fit.left_out)} {were} unlike the others of the same size, and {do} not count"


def with_sizes(sizes: Sequence[int]) -> str:
    """``with 2, 4 and 8 members``; ``with 5 sizes from 2 to 32 members`` if there are more than four sizes."""
    if len(sizes) == 1:
        return f"with {n_members(sizes[0])}"
    if len(sizes) > 4:
        return f"with {len(sizes)} sizes from {sizes[0]} to {sizes[-1]} members"
    return f"with {', '.join(map(str, sizes[:-1]))} and {sizes[-1]} members"


def error_percentage(error: float) -> str:
    """The relative error of forecasts in percent, between ``less than 0.01 %`` and ``more than 1000 %``."""
    if 0 < error < _LEAST_ERROR:
        return f"less than {percentage(_LEAST_ERROR)}"
    return percentage(error) if error < _MOST_ERROR else f"more than {percentage(_MOST_ERROR)}"


def go_duration(seconds: float) -> str:
    """A duration as in specs, to four digits: ``601.9s``, ``1h30m``.

    It is in hours from 10,000 s on, such as ``3.429h``, and ``0s`` below 0.5 ms.
    """
    if seconds >= 10_000:
        return f"{_four_digits(seconds / 3600)}h"
    text = _four_digits(seconds)
    minutes, rest = divmod(float(text), 60)
    return _whole_minutes(int(minutes)) if minutes and not rest else f"{text}s"


def _four_digits(number: float) -> str:
    """The number with four significant digits and at most three decimals, without trailing zeros."""
    digits = min(3, max(0, 3 - math.floor(math.log10(number)))) if number > 0 else 0
    text = f"{number:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _whole_minutes(minutes: int) -> str:
    """``11m``, ``1h`` or ``1h30m``."""
    hours, rest = divmod(minutes, 60)
    return (f"{hours}h" if hours else "") + (f"{rest}m" if rest else "")


def _n_runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"
