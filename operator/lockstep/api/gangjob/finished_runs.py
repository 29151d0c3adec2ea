"""Formats finished runs for a status, the oldest first.

A run has the number of its members, its seconds, its slow-down, and its time as a multiple of the stated time. If all
its nodes were of one kind, it also has this kind.
"""

import re
from decimal import Decimal

from lockstep.facts.past_runs import (
    KIND_PATTERN,
    MOST_MEMBERS,
    MOST_MILLISECONDS,
    MOST_RUNS,
    MOST_THOUSANDTHS,
    THOUSAND,
    PastRun,
    Runs,
)

_RUN = re.compile(r"([0-9]{1,5})" + r" ([0-9]{1,10}(?:[.][0-9]{1,3})?)" * 3 + rf"(?: ({KIND_PATTERN}))?")


def format_runs(runs: Runs) -> str:
    """Format runs, for example ``8 94.2 1.5 1.034 m5.large, 4 171 1 0.97``. Runs without members are left out."""
    return ", ".join(
        " ".join(
            [str(run.members), *map(_decimal, (run.milliseconds, run.slowdown, run.thousandths)), run.kind]
        ).rstrip()
        for run in runs
        if run.members
    )


def parse_runs(text: str) -> Runs:
    """The runs in that text; empty if we did not write the text."""
    found = [_parse(one) for one in text.split(", ", MOST_RUNS)] if text else []
    runs = tuple(run for run in found if run is not None)
    return runs if len(runs) == len(found) <= MOST_RUNS else ()


def _parse(text: str) -> PastRun | None:
    match = _RUN.fullmatch(text)
    if match is None:
        return None
    members, milliseconds, slowdown, thousandths = int(match[1]), *(_thousandths(match[n]) for n in (2, 3, 4))
    numbers = (thousandths, members, slowdown, milliseconds)
    most = (MOST_THOUSANDTHS, MOST_MEMBERS, MOST_THOUSANDTHS, MOST_MILLISECONDS)
    is_kept = all(1 <= number <= limit for number, limit in zip(numbers, most, strict=True))
    return PastRun(*numbers, match[5] or "") if is_kept else None


def _thousandths(text: str) -> int:
    return int(Decimal(text) * THOUSAND)


def _decimal(thousandths: int) -> str:
    whole, rest = divmod(thousandths, THOUSAND)
    return f"{whole}.{rest:03}".rstrip("0").rstrip(".")
