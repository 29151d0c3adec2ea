"""A line of the log for each request to the API server, at the level ``debug``: for whom, and how it was answered.

No body and no header is in it, nor what a query selects: those may hold what a tenant or an administrator keeps secret.
"""

import logging
from collections.abc import Mapping

from lockstep.logs.fields import about
from lockstep.logs.subject import subject

log = logging.getLogger(__name__)


def log_answer(verb: str, path: str, code: int, seconds: float, *, is_dry: bool = False) -> None:
    """A request was answered with that HTTP code after so many seconds; ``is_dry``: it was to change nothing."""
    if log.isEnabledFor(logging.DEBUG):
        what = "dry run of " if is_dry else ""
        log.debug("%s%s %s: %d in %.1f ms", what, verb, path, code, 1000 * seconds, extra=_about_subject())


def log_silence(verb: str, path: str, problem: str) -> None:
    """A request got no answer that could be used."""
    if log.isEnabledFor(logging.DEBUG):
        log.debug("%s %s: no answer: %s", verb, path, problem, extra=_about_subject())


def _about_subject() -> Mapping[str, str | int]:
    whom = subject()
    return {} if whom is None else about(*whom)
