"""What came of several policies, as a table for people and as files."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lockstep.simulation.machine import Ran
from lockstep.simulation.measures import NAMES, Measures, mean_and_error

Results = Mapping[str, Mapping[int, Measures]]
"""By policy, then by seed."""

_RUN_COLUMNS = ("policy", "seed", "job", "submitted", "start", "end", "size")


def table(results: Results) -> Iterator[str]:
    """One line a policy: means over the seeds with 95 % intervals, and the turnaround over the first policy's."""
    yield f"{'policy':<13}{'wait':>20}{'turnaround':>20}{'of the first':>14}{'slow-down':>18}{'size':>7}{'busy':>6}"
    first = next(iter(results.values()))
    for policy, by_seed in results.items():
        ratios = [one.mean_turnaround / first[seed].mean_turnaround for seed, one in by_seed.items()]
        measures = by_seed.values()
        size, _ = mean_and_error([one.mean_size for one in measures])
        busy, _ = mean_and_error([one.utilisation for one in measures])
        wait = _spelled([one.mean_wait for one in measures], 0) + " s"
        turnaround = _spelled([one.mean_turnaround for one in measures], 0) + " s"
        slowdown = _spelled([one.mean_slowdown for one in measures], 1)
        yield f"{policy:<13}{wait:>20}{turnaround:>20}{_spelled(ratios, 2):>14}{slowdown:>18}{size:>7.1f}{busy:>6.0%}"


def _spelled(values: Sequence[float], digits: int) -> str:
    mean, error = mean_and_error(values)
    return f"{mean:.{digits}f}" + ("" if len(values) == 1 else f" ±{error:.{digits}f}")


def write_summary(path: Path, results: Results) -> None:
    """Write the measures of every policy and seed as CSV."""
    rows = (
        {"policy": policy, "seed": seed, **asdict(one)}
        for policy, by_seed in results.items()
        for seed, one in by_seed.items()
    )
    _write(path, ("policy", "seed", *NAMES), rows)


def write_runs(path: Path, runs: Mapping[tuple[str, int], Sequence[Ran]]) -> None:
    """Write how every job ran, by policy and seed, as CSV."""
    rows = (
        dict(zip(_RUN_COLUMNS, (policy, seed, one.arrival.job.number, one.submitted, *_ran(one)), strict=True))
        for (policy, seed), of_both in runs.items()
        for one in of_both
    )
    _write(path, _RUN_COLUMNS, rows)


def _ran(run: Ran) -> tuple[float, float, int]:
    return run.start, run.end, run.size


def _write(path: Path, columns: Sequence[str], rows: Iterator[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
