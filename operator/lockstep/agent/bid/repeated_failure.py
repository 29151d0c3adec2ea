"""What goes wrong for a while, and is tried again: the log says so once, and once that it is over."""

import logging

log = logging.getLogger(__name__)


class RepeatedFailure:
    """One thing that may fail, such as ``the bid can't be written``."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._code: int | None = None

    def is_there(self, code: int, cause: str) -> None:
        """It has failed, for that cause; the causes of one code are one trouble, however they are worded."""
        if code != self._code:
            log.warning("%s: %s", self._name, cause)
        self._code = code

    def is_over(self) -> None:
        """It has not failed."""
        if self._code is not None:
            log.info("this is over: %s", self._name)
        self._code = None
