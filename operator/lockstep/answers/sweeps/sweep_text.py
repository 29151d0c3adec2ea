"""Formats sweeps that have not ended as rows of a table and as JSON."""

from collections.abc import Iterable, Iterator
from typing import Any

from lockstep.api.quantities import rfc3339
from lockstep.facts.runs.sweep_keys import sweep_name
from lockstep.facts.sweeps.sweep import Sweep
from lockstep.report.text.sentences import duration

_WIDEST_NAME = 40


def under_way(sweeps: Iterable[Sweep]) -> list[Sweep]:
    """The sweeps that have not ended, sorted by namespace and name."""
    return sorted((one for one in sweeps if one.status.end is None), key=lambda one: one.key)


def sweep_lines(sweeps: list[Sweep], now: float) -> Iterator[str]:
    """A heading, and a row for each sweep; nothing if there are no sweeps."""
    if not sweeps:
        return
    names = max(len("SWEEP"), *(min(len(_named(one)), _WIDEST_NAME) for one in sweeps))
    numbers = f"{'RUNS':>5}  {'ENDED':>5}  {'RUNNING':>7}  {'WAITING':>7}"
    yield f"{'SWEEP':<{names}}  {'STATE':<9}  {numbers}  {'ENDS IN':>14}"
    for one in sweeps:
        status = one.status
        runs, ended = status.runs or one.spec.runs or "-", status.succeeded + status.failed
        row = f"{_named(one):<{names}}  {status.state or 'New':<9}  {runs:>5}  {ended:>5}"
        yield f"{row}  {status.running:>7}  {status.waiting:>7}  {_ends_in(status.expected_finish, now):>14}"
        if not status.state:
            yield "  The operator has not started it: does it run with --sweeps?"


def sweep_document(sweep: Sweep) -> dict[str, Any]:
    """A sweep as JSON. docs/command-line.md documents every field."""
    status, finish = sweep.status, sweep.status.expected_finish
    return {
        "sweep": {"namespace": sweep.key.namespace, "name": sweep_name(sweep.key)},
        "state": status.state or None,
        "runs": status.runs or sweep.spec.runs,
        "succeeded": status.succeeded,
        "failed": status.failed,
        "running": status.running,
        "waiting": status.waiting,
        "size": status.size,
        "expectedFinish": None if finish is None else rfc3339(finish),
        "summary": status.summary,
    }


def _named(sweep: Sweep) -> str:
    return f"{sweep.key.namespace}/{sweep_name(sweep.key)}"


def _ends_in(finish: float | None, now: float) -> str:
    return "-" if finish is None else "now" if finish - now < 1 else duration(finish - now)
