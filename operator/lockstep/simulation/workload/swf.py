"""Logs in the Standard Workload Format: a line for each job, and comments; the first comments are a header."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from lockstep.simulation.workload.rigid import RigidJob
from lockstep.simulation.workload.swf_line import LoggedJob, WrongLineError, parse_line

MOST_NAMED = 20
"""At most this number of wrong lines is named: in a file that is no log, all lines are wrong."""

_PLAIN_NUMBER = re.compile("[0-9]{1,9}")


class Unused(StrEnum):
    """Why a job of a log cannot be simulated."""

    SUBMIT_TIME = "without a submit time"
    RUN_TIME = "without a run time"
    PROCESSORS = "without a number of processors"
    RUN = "with a run time of 0"


@dataclass(slots=True)
class Log:
    """The jobs of a log by submission, its header, and the lines and jobs that could not be used.

    ``wrong`` names the first of all ``wrong_lines``; ``unused`` counts jobs by the reason. Runs of one of the
    ``templates`` have the same user, executable, size and requested time. A job without a user or an executable in the
    log has no template.
    """

    jobs: list[RigidJob] = field(default_factory=list)
    header: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    wrong_lines: int = 0
    unused: Counter[Unused] = field(default_factory=Counter)
    templates: dict[tuple[float | None, ...], int] = field(default_factory=dict)

    @property
    def processors(self) -> int | None:
        """How many processors the machine of the log had, if the header has it."""
        said = self.header.get("MaxProcs") or self.header.get("MaxNodes") or ""
        return int(said) if _PLAIN_NUMBER.fullmatch(said) else None


def read_log(lines: Iterable[str]) -> Log:
    """Read a log; wrong lines are left out."""
    log = Log()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith(";"):
            name, colon, value = text.lstrip("; ").partition(":")
            if colon:
                log.header.setdefault(name.strip(), value.strip())
        elif text:
            _read_line(log, number, text)
    log.jobs.sort(key=lambda job: job.submitted)
    return log


def _read_line(log: Log, number: int, text: str) -> None:
    try:
        _add_job(log, parse_line(text))
    except WrongLineError as error:
        log.wrong_lines += 1
        if log.wrong_lines <= MOST_NAMED:
            log.wrong.append(f"line {number} {error}")


def _add_job(log: Log, job: LoggedJob) -> None:
    if job.submit_time is None:
        log.unused[Unused.SUBMIT_TIME] += 1
    elif job.run_time is None:
        log.unused[Unused.RUN_TIME] += 1
    elif job.run_time == 0:
        log.unused[Unused.RUN] += 1
    elif job.processors is None:
        log.unused[Unused.PROCESSORS] += 1
    else:
        log.jobs.append(
            RigidJob(
                submitted=job.submit_time,
                size=int(job.processors),
                seconds=job.run_time,
                requested=job.requested_time or None,
                user=None if job.user is None else int(job.user),
                template=_template(log, job),
                group=None if job.group is None else int(job.group),
            )
        )


def _template(log: Log, job: LoggedJob) -> int | None:
    if job.user is None or job.executable is None:
        return None
    run_of = job.user, job.executable, job.processors, job.requested_time
    return log.templates.setdefault(run_of, len(log.templates))
