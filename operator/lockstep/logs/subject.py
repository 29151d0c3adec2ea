"""For which gang a task works, so that the log can say so of what it asks of others, though nobody hands it on.

Tasks inherit it from the one that begins them.
"""

from contextvars import ContextVar
from typing import NamedTuple

from coschedule import GangKey


class Subject(NamedTuple):
    """A gang, and the number of its attempt where the work is part of one."""

    gang: GangKey
    attempt: int | None


_SUBJECT: ContextVar[Subject | None] = ContextVar("subject", default=None)


def work_for(gang: GangKey, attempt: int | None = None) -> None:
    """What this task does from now on is for that gang. The attempt that it works for already stays known."""
    known = _SUBJECT.get()
    if known is None or known.gang != gang or attempt is not None:
        _SUBJECT.set(Subject(gang, attempt))


def subject() -> Subject | None:
    """For whom this task works, as far as anybody has said."""
    return _SUBJECT.get()
