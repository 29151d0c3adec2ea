"""The fields that a log line has in addition to its message."""

import logging
from collections.abc import Mapping

from coschedule import GangKey
from lockstep.logs.formats import ATTEMPT, GANG


def about(gang: GangKey, attempt: int | None = None) -> Mapping[str, str | int]:
    """Return the argument ``extra`` of a log line about that gang, and about that attempt if given.

    Each format adds the gang and the attempt to the line, so the message need not name them.
    """
    key = f"{gang.namespace}/{gang.name}"
    return {GANG: key} if attempt is None else {GANG: key, ATTEMPT: attempt}


def debug_about(log: logging.Logger, gang: GangKey, sentence: str, *arguments: object) -> None:
    """Write a line about that gang at level ``debug``; nothing is formatted if that level is off."""
    if log.isEnabledFor(logging.DEBUG):
        log.debug(sentence, *arguments, extra=about(gang))
