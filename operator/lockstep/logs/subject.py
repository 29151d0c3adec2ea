"""The gang that a task works for, so that log lines about the task's requests can name the gang.

A context variable keeps this gang: tasks inherit it from the task that creates them.
"""

from contextvars import ContextVar
from typing import NamedTuple

from coschedule import GangKey


class Subject(NamedTuple):
    """A gang, and the number of its attempt if the work is part of one."""

    gang: GangKey
    attempt: int | None


_SUBJECT: ContextVar[Subject | None] = ContextVar("subject", default=None)


def work_for(gang: GangKey, attempt: int | None = None) -> None:
    """Set the gang that this task works for. Without ``attempt``, a known attempt of the same gang stays."""
    known = _SUBJECT.get()
    if known is None or known.gang != gang or attempt is not None:
        _SUBJECT.set(Subject(gang, attempt))


def subject() -> Subject | None:
    """The gang that this task works for, and the attempt if it is known; None if no gang is set."""
    return _SUBJECT.get()
