"""The log of the process, set up once: our own lines, and those of the libraries that we use."""

import logging
import sys
import threading
from types import TracebackType

from lockstep.logs.formats import FORMATS, LogFormat

_OWN_LOGGER = "lockstep"


def set_up_logs(level: str, log_format: LogFormat) -> None:
    """Write everything that is logged to standard error, in one format, and Python's warnings and last words too.

    ``debug`` is for our own lines: libraries that debug write down what they send, tokens among it.
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
        logging.getLogger(_OWN_LOGGER).critical("ended by an error", exc_info=(kind, error, trace))
