"""Writes a debug log line for each request to the API server: the request, its gang, and the answer.

The line has no body, no header and no query: these may contain secrets of tenants or administrators.
"""

import logging
from collections.abc import Mapping

from lockstep.logs.fields import about
from lockstep.logs.subject import subject

log = logging.getLogger(__name__)


def log_answer(verb: str, path: str, code: int, seconds: float, *, is_dry: bool = False) -> None:
    """Log an answered request. ``is_dry`` means that it was a dry run."""
    if log.isEnabledFor(logging.DEBUG):
        what = "dry run of " if is_dry else ""
        log.debug("%s%s %s: %d in %.1f ms", what, verb, path, code, 1000 * seconds, extra=_about_subject())


def log_silence(verb: str, path: str, problem: str) -> None:
    """Log a request without a usable answer."""
    if log.isEnabledFor(logging.DEBUG):
        log.debug("%s %s: no answer: %s", verb, path, problem, extra=_about_subject())


def _about_subject() -> Mapping[str, str | int]:
    whom = subject()
    return {} if whom is None else about(*whom)
