"""Reads from an API server over one connection that is kept: a command of kubectl costs the CPU of fifty reads."""

from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

from lockstep.api.client.configuration import load_configuration, tls_context

# An API server gives up on a request after 60 seconds, and says so.
ANSWER_SECONDS = 90.0
OK = 200


class ReadError(Exception):
    """The API server does not answer, or refuses; the message says what."""


class Reader:
    """Reads as the user of a context of a kubeconfig; for one thread."""

    def __init__(self, kubeconfig: Path, context: str) -> None:
        configuration = load_configuration(kubeconfig=str(kubeconfig), context=context)
        address, tls = urlsplit(configuration.host), tls_context(configuration)
        assert not isinstance(tls, bool), f"{configuration.host} has no TLS"
        self._connection = HTTPSConnection(address.hostname or "", address.port, timeout=ANSWER_SECONDS, context=tls)

    def read(self, path: str) -> str:
        """Return what the API server answers to a GET; raise ReadError if that is no success."""
        try:
            self._connection.request("GET", path)
            answer = self._connection.getresponse()
            text = answer.read().decode(errors="replace")
        except (OSError, HTTPException) as error:
            # The next read opens it again.
            self._connection.close()
            raise ReadError(f"GET {path}: {error}") from error
        if answer.status != OK:
            raise ReadError(f"GET {path}: {answer.status} {text}")
        return text

    def close(self) -> None:
        """Close the connection, if it is open."""
        self._connection.close()
