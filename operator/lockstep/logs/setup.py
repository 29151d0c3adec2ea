"""Sets up the log of the process, for our own lines and for lines of libraries."""

import logging
import sys
import threading
from types import TracebackType

from lockstep.logs.formats import FORMATS, LogFormat

_OWN_LOGGER = "lockstep"


def set_up_logs(level: str, log_format: LogFormat) -> None:
    """Write all logs to standard error in one format, including Python's warnings and uncaught errors.

    ``debug`` applies to our own lines only: at that level, libraries log what they send, including tokens.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(FORMATS[log_format]())
    least = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(level=max(least, logging.INFO), handlers=[handler])
    logging.getLogger(_OWN_LOGGER).setLevel(least)
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_last_words
    threading.excepthook = lambda ended: _log_last_words(ended.exc_type, ended.exc_value, ended.exc_traceback)


def _log_last_words(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    if error is not None and not issubclass(kind, KeyboardInterrupt):
        logging.getLogger(_OWN_LOGGER).critical("the process ends after an error", exc_info=(kind, error, trace))
