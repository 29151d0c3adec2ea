"""A line of a log in the Standard Workload Format, version 2.2: 18 numbers about a job."""

from typing import NamedTuple

_UNKNOWN = -1
_MOST = 1e12
"""The largest valid value: 300 centuries in seconds, a petabyte in kilobytes."""

_LONGEST_WORD = 40


class WrongLineError(ValueError):
    """The line is no job; the message says why, as a phrase that completes "line 3 ..."."""


class LoggedJob(NamedTuple):
    """The 18 fields, in their order. A field is None if the log has -1, which means unknown.

    Times are in seconds, memory is in kilobytes for each processor.
    """

    job_number: float | None
    submit_time: float | None
    wait_time: float | None
    run_time: float | None
    allocated_processors: float | None
    average_cpu_time: float | None
    used_memory: float | None
    requested_processors: float | None
    requested_time: float | None
    requested_memory: float | None
    status: float | None
    user: float | None
    group: float | None
    executable: float | None
    queue: float | None
    partition: float | None
    preceding_job: float | None
    think_time: float | None

    @property
    def processors(self) -> float | None:
        """The number of processors that the job had or, if this is unknown, the number that it asked for."""
        return self.requested_processors if self.allocated_processors is None else self.allocated_processors


_WHOLE = frozenset(name for name in LoggedJob._fields if not name.endswith(("_time", "_memory")))


def parse_line(text: str) -> LoggedJob:
    """Read a line. Raises ``WrongLineError``."""
    words = text.split()
    fields = LoggedJob._fields
    if len(words) != len(fields):
        raise WrongLineError(f"has {len(words)} fields, not {len(fields)}")
    job = LoggedJob(*(_value(*field) for field in zip(fields, words, strict=True)))
    if job.run_time and 0 in (job.allocated_processors, job.requested_processors):
        raise WrongLineError("has 0 processors, but ran")
    return job


def _value(field: str, word: str) -> float | None:
    name = field.replace("_", " ")
    value = _number(word)
    if value is None:
        raise WrongLineError(f"has {word[:_LONGEST_WORD]!r} as its {name}, which is not a number")
    if value == _UNKNOWN:
        return None
    if not 0 <= value <= _MOST:
        raise WrongLineError(f"has {value:g} as its {name}, which must be from 0 to {_MOST:g}, or -1 if unknown")
    if field in _WHOLE and value % 1:
        raise WrongLineError(f"has {value:g} as its {name}, which must be a whole number")
    return value


def _number(word: str) -> float | None:
    # Python also takes 1_0 for a number, and digits of other scripts.
    if "_" in word or not word.isascii():
        return None
    try:
        return float(word)
    except ValueError:
        return None
