"""A log for errors with requests, except those that clients cause: these could fill the log."""

import logging

from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web import RequestPayloadError

# A request that is none, a body that is not as its headers say, and an asker who leaves before the answer.
_FAULTS_OF_ASKERS = (HttpProcessingError, RequestPayloadError, ConnectionResetError)


def requests_log(name: str) -> logging.Logger:
    """The log of that name, without the faults of those who ask."""
    requests = logging.getLogger(name)
    requests.addFilter(_is_no_fault_of_the_asker)
    return requests


def _is_no_fault_of_the_asker(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], _FAULTS_OF_ASKERS))
