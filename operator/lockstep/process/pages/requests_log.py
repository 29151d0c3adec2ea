"""A log for errors with requests, without errors that clients cause: those could fill the log."""

import logging

from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web import RequestPayloadError

# Invalid HTTP, a body that does not match its headers, and a client that leaves before the answer.
_FAULTS_OF_ASKERS = (HttpProcessingError, RequestPayloadError, ConnectionResetError)


def requests_log(name: str) -> logging.Logger:
    """The log of that name, without errors that clients cause."""
    requests = logging.getLogger(name)
    requests.addFilter(_is_no_fault_of_the_asker)
    return requests


def _is_no_fault_of_the_asker(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], _FAULTS_OF_ASKERS))
