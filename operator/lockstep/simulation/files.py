"""The results of several policies, as CSV files."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lockstep.simulation.averages import average, ratio
from lockstep.simulation.comparison import Load, Results, Trial
from lockstep.simulation.machine import Ran
from lockstep.simulation.measures import NAMES

_RUN_COLUMNS = (
    *Trial._fields,
    "job",
    "submitted",
    "start",
    "end",
    "size",
    "likely",
    "promised",
    "interruptions",
    "changes",
)
_MEAN_COLUMNS = ("load", "policy", "measure", "mean", "error", "ratio", "ratio_error")


def write_summary(path: Path, by_load: Mapping[Load, Results]) -> None:
    """Write the measures of every load, policy and seed."""
    rows = (
        {"load": load, "policy": policy, "seed": seed, **asdict(one)}
        for load, results in by_load.items()
        for policy, by_seed in results.items()
        for seed, one in by_seed.items()
    )
    _write(path, (*Trial._fields, *NAMES), rows)


def write_means(path: Path, by_load: Mapping[Load, Results]) -> None:
    """Write means over the seeds and ratios to the first policy, each with half of its 95 % interval."""
    rows = (
        _means(load, results, policy, measure)
        for load, results in by_load.items()
        for policy in results
        for measure in NAMES
    )
    _write(path, _MEAN_COLUMNS, rows)


def write_runs(path: Path, runs: Mapping[Trial, Sequence[Ran]]) -> None:
    """Write how every job ran, and its first promise."""
    rows = (dict(zip(_RUN_COLUMNS, (*trial, *_ran(one)), strict=True)) for trial, many in runs.items() for one in many)
    _write(path, _RUN_COLUMNS, rows)


def _means(load: Load, results: Results, policy: str, measure: str) -> dict[str, Any]:
    first = next(iter(results.values()))
    values = {seed: float(getattr(one, measure)) for seed, one in results[policy].items()}
    to_first = ratio(list(values.values()), [float(getattr(first[seed], measure)) for seed in values])
    cells = (load, policy, measure, *average(list(values.values())), *to_first)
    return dict(zip(_MEAN_COLUMNS, cells, strict=True))


def _ran(run: Ran) -> tuple[float | None, ...]:
    promise = (None, None) if run.promises is None else (run.promises.likely, run.promises.promised)
    return (run.arrival.job.number, run.submitted, run.first_start, run.end, run.size, *promise, *_attempts(run))


def _attempts(run: Ran) -> tuple[int, int]:
    """Count interruptions and changes of size."""
    changes = sum(attempt.resized for attempt in run.earlier)
    return len(run.earlier) - changes, changes


def _write(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
