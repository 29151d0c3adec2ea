"""Logs a repeated failure only once, and logs once when it is over."""

import logging

log = logging.getLogger(__name__)


class RepeatedFailure:
    """One thing that may fail, such as ``the bid can't be written``."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._code: int | None = None

    def is_there(self, code: int, cause: str) -> None:
        """Record a failure. It is logged if its code is new; the same code counts as the same failure."""
        if code != self._code:
            log.warning("%s: %s", self._name, cause)
        self._code = code

    def is_over(self) -> None:
        """Record a success; it is logged if it follows a failure."""
        if self._code is not None:
            log.info("this problem is solved: %s", self._name)
        self._code = None
