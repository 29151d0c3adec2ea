"""Formats the answer of ``explain`` about a sweep as text and as JSON."""

from collections.abc import Iterator
from typing import Any

from lockstep.answers.plan.text import wrapped
from lockstep.answers.reading.gang_called import gang_called
from lockstep.answers.sweeps.explaining import HeldUp, SweepAnswer
from lockstep.answers.sweeps.sweep_text import sweep_document
from lockstep.api.quantities import rfc3339
from lockstep.cycle.sweeps.common_sizes import RunSize
from lockstep.facts.sweeps.sweep import SweepSpec


def explained_lines(answer: SweepAnswer) -> Iterator[str]:
    """The lines about a sweep: its state, the size of its next runs, what delays it, and its likely end."""
    sweep, status = answer.sweep, answer.sweep.status
    yield from wrapped(f"{gang_called(sweep.key)} is {(status.state or 'new').lower()}. {status.summary}".rstrip())
    failed = f" ({status.failed_runs})" if status.failed_runs else ""
    yield from wrapped(
        f"{status.succeeded} of {status.runs or sweep.spec.runs or 'its'} runs have succeeded, and "
        f"{status.failed} have failed{failed}.",
        "  ",
    )
    if answer.size is not None:
        yield from wrapped(f"The next runs: {answer.size.reason}", "  ")
        yield from wrapped(side_by_side(answer.size, sweep.spec, answer.left), "  ")
    for one in answer.held_up:
        yield from wrapped(_held(one), "  ")
    if status.expected_finish is not None:
        yield from wrapped(f"It is likely to end at {rfc3339(status.expected_finish)}. Nothing is promised.", "  ")
    for failure in status.failures:
        yield from wrapped(f"Run {failure.run} has failed ({failure.reason}): {failure.message}", "  ")


def explained_document(answer: SweepAnswer) -> dict[str, Any]:
    """The answer about a sweep as JSON."""
    status, size = answer.sweep.status, answer.size
    return {
        **sweep_document(answer.sweep),
        "failedRuns": status.failed_runs,
        "next": None if size is None else size_document(size),
        "heldUp": [one._asdict() for one in answer.held_up],
        "failures": [one._asdict() for one in status.failures],
    }


def size_document(size: RunSize) -> dict[str, Any]:
    """The size of the next runs as JSON."""
    return {"members": size.members, "sideBySide": size.groups, "seconds": size.seconds, "why": size.reason}


def side_by_side(size: RunSize, spec: SweepSpec, left: int) -> str:
    """A sentence that says how many runs may run at the same time, and what limits their number."""
    most = f"At most {size.groups} runs run at once" if size.groups > 1 else "At most one run runs at a time"
    if size.groups == spec.max_parallel:
        return f"{most}: maxParallel allows no more."
    if size.groups == left:
        return f"{most}: no other runs are left."
    return f"{most}: the nodes of the pool have no room for another run of that size."


def _held(one: HeldUp) -> str:
    return one.why if one.run is None else f"Run {one.run} waits: {one.why}"
