"""The results of several policies, as tables for people."""

import math
from collections.abc import Iterator, Mapping, Sequence

from lockstep.simulation.averages import Average, average, ratio
from lockstep.simulation.comparison import Results
from lockstep.simulation.measures import CLASSES


class _Row:
    """The averages of one policy, and its ratios to the first policy."""

    def __init__(self, results: Results, policy: str) -> None:
        self._of_it = results[policy]
        self._of_first = next(iter(results.values()))

    def mean(self, measure: str) -> Average:
        return average([getattr(one, measure) for one in self._of_it.values()])

    def to_first(self, measure: str) -> Average:
        seeds = self._of_it.keys()
        return ratio(
            [getattr(self._of_it[seed], measure) for seed in seeds],
            [getattr(self._of_first[seed], measure) for seed in seeds],
        )


def tables(results: Results) -> Iterator[str]:
    """Format the results of one load: means over the seeds with their 95 % intervals, a line for each policy."""
    rows = {policy: _Row(results, policy) for policy in results}
    yield from _whole(rows)
    yield ""
    yield from _slowdowns(rows)
    yield ""
    yield from _turnarounds(rows)
    if any(not math.isnan(row.mean("worst_group").mean) for row in rows.values()):
        yield ""
        yield from _groups(rows)
    if any(row.mean("interruptions").mean > 0 for row in rows.values()):
        yield ""
        yield from _interruptions(rows)
    if any(row.mean("changes").mean > 0 for row in rows.values()):
        yield ""
        yield from _changes(rows)
    promised = {policy: row for policy, row in rows.items() if not math.isnan(row.mean("told").mean)}
    if promised:
        yield ""
        yield from _promises(promised)


def bound_line(results: Results, bounds: Mapping[int, float]) -> str:
    """Format the lower bounds on the mean turnaround, by seed, and their ratio to the first policy's."""
    first = next(iter(results.values()))
    to_first = ratio(list(bounds.values()), [first[seed].mean_turnaround for seed in bounds])
    least = average(list(bounds.values()))
    seconds, share = least.formatted(0, unit=" s"), to_first.formatted(2)
    return f"No schedule has a mean turnaround below {seconds}: {share} times that of the first policy."


def _whole(rows: dict[str, _Row]) -> Iterator[str]:
    widths = (20, 12, 20, 14, 18, 7, 7, 8)
    heads = ("wait", "p95 wait", "turnaround", "of the first", "slow-down", "size", "busy", "fair")
    yield _line("policy", heads, widths)
    for policy, row in rows.items():
        cells = (
            row.mean("mean_wait").formatted(0, unit=" s"),
            f"{row.mean('p95_wait').mean:.0f} s",
            row.mean("mean_turnaround").formatted(0, unit=" s"),
            row.to_first("mean_turnaround").formatted(2),
            row.mean("mean_slowdown").formatted(1),
            f"{row.mean('mean_size').mean:.1f}",
            _percent(row.mean("utilisation")),
            _percent(row.mean("fairness")),
        )
        yield _line(policy, cells, widths)


def _slowdowns(rows: dict[str, _Row]) -> Iterator[str]:
    widths = (18,) * len(CLASSES)
    yield _line("slow-down", CLASSES, widths)
    for policy, row in rows.items():
        yield _line(policy, [row.mean(f"{name}_slowdown").formatted(1) for name in CLASSES], widths)


def _turnarounds(rows: dict[str, _Row]) -> Iterator[str]:
    widths = (18,) * len(CLASSES)
    yield _line("of the first", CLASSES, widths)
    for policy, row in rows.items():
        yield _line(policy, [row.to_first(f"{name}_turnaround").formatted(2) for name in CLASSES], widths)


def _groups(rows: dict[str, _Row]) -> Iterator[str]:
    widths = (22, 22, 20)
    yield _line("policy", ("worst group/mean", "index by share", "turnaround"), widths)
    for policy, row in rows.items():
        cells = (
            row.mean("worst_group").formatted(2),
            row.mean("share_index").formatted(2),
            row.to_first("mean_turnaround").formatted(2),
        )
        yield _line(policy, cells, widths)


def _interruptions(rows: dict[str, _Row]) -> Iterator[str]:
    widths = (16, 22, 22, 18, 16, 22)
    heads = (
        "work lost",
        "interruptions per job",
        "turnaround",
        "p95 turnaround",
        "promises broken",
        "after an owner's return",
    )
    yield _line("policy", heads, widths)
    for policy, row in rows.items():
        lost = row.mean("work_lost")
        cells = (
            Average(100 * lost.mean, 100 * lost.error).formatted(1, unit=" %"),
            row.mean("interruptions").formatted(2),
            row.mean("mean_turnaround").formatted(0, unit=" s"),
            f"{row.mean('p95_turnaround').mean:.0f} s",
            _tenths(1 - row.mean("promises_kept").mean),
            _tenths(row.mean("broken_by_owners").mean),
        )
        yield _line(policy, cells, widths)


def _changes(rows: dict[str, _Row]) -> Iterator[str]:
    widths = (16, 22, 18)
    yield _line("policy", ("changes per job", "longest turnaround", "of the first"), widths)
    for policy, row in rows.items():
        cells = (
            row.mean("changes").formatted(2),
            f"{row.mean('longest_turnaround').mean:.0f} s",
            row.to_first("longest_turnaround").formatted(2),
        )
        yield _line(policy, cells, widths)


def _promises(rows: dict[str, _Row]) -> Iterator[str]:
    widths = (8, 16, 16, 20, 13, 11, 18, 14)
    heads = (
        "told",
        "promises kept",
        "moved later",
        "promised/real wait",
        "by likely",
        "by late",
        "error of likely",
        "its p90",
    )
    yield _line("policy", heads, widths)
    for policy, row in rows.items():
        cells = (
            _percent(row.mean("told")),
            f"{row.mean('promises_kept').mean:.1%}",
            row.mean("promises_moved_later").formatted(0),
            row.mean("promised_over_real_wait").formatted(2),
            _percent(row.mean("started_by_likely")),
            _percent(row.mean("started_by_late")),
            row.mean("likely_error_median").formatted(2),
            row.mean("likely_error_p90").formatted(1),
        )
        yield _line(policy, cells, widths)


def _line(name: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    return f"{name:<13}" + "".join(f" {cell:>{width - 1}}" for cell, width in zip(cells, widths, strict=True))


def _tenths(share: float) -> str:
    return "-" if math.isnan(share) else f"{share:.1%}"


def _percent(one: Average) -> str:
    return "-" if math.isnan(one.mean) else f"{one.mean:.0%}"
