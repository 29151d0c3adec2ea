"""What a line of the log says beside its sentence."""

import logging
from collections.abc import Mapping

from coschedule import GangKey
from lockstep.logs.formats import ATTEMPT, GANG


def about(gang: GangKey, attempt: int | None = None) -> Mapping[str, str | int]:
    """For ``extra``: the line is about that gang, and an attempt of it where one is given.

    Each format shows it in its own way, so the sentence need not.
    """
    key = f"{gang.namespace}/{gang.name}"
    return {GANG: key} if attempt is None else {GANG: key, ATTEMPT: attempt}


def debug_about(log: logging.Logger, gang: GangKey, sentence: str, *arguments: object) -> None:
    """Write a line about that gang at the level ``debug``; where nobody reads those, nothing is formatted."""
    if log.isEnabledFor(logging.DEBUG):
        log.debug(sentence, *arguments, extra=about(gang))
