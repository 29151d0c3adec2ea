"""Checks names in GangJobs."""

import re

from lockstep.answers.reading.errors import AnswerError

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?")
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def check_label(name: str, what: str) -> str:
    """Return the name of a role or a namespace. Raises ``AnswerError`` if the API server would refuse it."""
    if not _LABEL.fullmatch(name):
        raise AnswerError(
            f"{name or 'No name'} can't be that of a {what}, which has at most 63 characters, only a-z, 0-9 and '-', "
            "and a letter or digit at both ends."
        )
    return name


def check_name(name: str) -> str:
    """Return the name of a GangJob. Raises ``AnswerError`` if the API server would refuse it."""
    if not _NAME.fullmatch(name):
        raise AnswerError(
            f"{name or 'No name'} can't be that of a GangJob, which has at most 52 characters, only a-z, 0-9 and '-', "
            "and a letter or digit at both ends: give another, as in lockstep init NAME."
        )
    return name
