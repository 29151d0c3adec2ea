"""Logs in the Standard Workload Format, version 2.2: a line of 18 numbers for each job, -1 where nothing is known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lockstep.simulation.workload.rigid import RigidJob

FIELDS = 18
_LONGEST_SECONDS = 1e10
"""Three centuries: times beyond are no submissions and no runs."""

_SUBMIT, _RUN_TIME, _ALLOCATED, _REQUESTED, _REQUESTED_TIME, _USER, _EXECUTABLE = 1, 3, 4, 7, 8, 11, 13


@dataclass(slots=True)
class Log:
    """The jobs of a log by submission, what its header says, and what could not be used of it.

    ``wrong`` names each line that is none; ``without_run`` counts jobs that did not run, or have no such size or times.
    Jobs of one user that start the same executable with the same size and ask for the same time are runs of one of the
    ``templates``; where the log does not say whose or what they are, nobody knows of which.
    """

    jobs: list[RigidJob] = field(default_factory=list)
    header: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    templates: dict[tuple[float, ...], int] = field(default_factory=dict)
    without_run: int = 0


def read_log(lines: Iterable[str]) -> Log:
    """Read a log; a wrong line costs no other line anything."""
    log = Log()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith(";"):
            name, colon, value = text.lstrip("; ").partition(":")
            if colon:
                log.header.setdefault(name.strip(), value.strip())
        elif text:
            _read_job(log, number, text)
    log.jobs.sort(key=lambda job: job.submitted)
    return log


def _read_job(log: Log, number: int, text: str) -> None:
    words = text.split()
    if len(words) != FIELDS:
        log.wrong.append(f"line {number} has {len(words)} fields, not {FIELDS}")
        return
    try:
        values = [float(word) for word in words]
    except ValueError as error:
        log.wrong.append(f"line {number}: {error}")
        return
    size = values[_ALLOCATED] if values[_ALLOCATED] > 0 else values[_REQUESTED]
    submitted, seconds = values[_SUBMIT], values[_RUN_TIME]
    if not (0 < seconds <= _LONGEST_SECONDS and 1 <= size < float("inf") and 0 <= submitted <= _LONGEST_SECONDS):
        log.without_run += 1
        return
    requested, user = values[_REQUESTED_TIME], values[_USER]
    log.jobs.append(
        RigidJob(
            submitted=submitted,
            size=int(size),
            seconds=seconds,
            requested=requested if 0 < requested <= _LONGEST_SECONDS else None,
            user=int(user) if 0 <= user < float("inf") else None,
            template=_template(log, values, size),
        )
    )


def _template(log: Log, values: Sequence[float], size: float) -> int | None:
    user, executable = values[_USER], values[_EXECUTABLE]
    if user < 0 or executable < 0:
        return None
    return log.templates.setdefault((user, executable, size, values[_REQUESTED_TIME]), len(log.templates))
