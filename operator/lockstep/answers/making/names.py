"""Checks names in GangJobs."""

import re

from lockstep.answers.reading.errors import AnswerError

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?")
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def check_label(name: str, what: str) -> str:
    """Return the name of a role or a namespace unchanged. Raises ``AnswerError`` if the API server would refuse it."""
    if not _LABEL.fullmatch(name):
        raise AnswerError(
            f"{name or 'An empty name'} is not a valid name of a {what}. Such a name has at most 63 characters: a-z, "
            "0-9 and '-'. It begins and ends with a letter or digit."
        )
    return name


def check_name(name: str) -> str:
    """Return the name of a GangJob unchanged. Raises ``AnswerError`` if the API server would refuse it."""
    if not _NAME.fullmatch(name):
        raise AnswerError(
            f"{name or 'An empty name'} is not a valid name of a GangJob. Such a name has at most 52 characters: a-z, "
            "0-9 and '-'. It begins and ends with a letter or digit. Give another name, as in lockstep init NAME."
        )
    return name
