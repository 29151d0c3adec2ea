"""The certificate with which the metrics are served, read again whenever its files have changed."""

import logging
import ssl
from pathlib import Path
from typing import NamedTuple

from lockstep.process.stores.errors import StartError

log = logging.getLogger(__name__)

CERTIFICATE = "tls.crt"
KEY = "tls.key"


class _FileState(NamedTuple):
    """How a file looked; another content looks different."""

    inode: int
    size: int
    modified_ns: int


class Certificate:
    """The certificate and key in a folder. Each connection is served with what the files held when it began.

    Files that can't be used leave the certificate that could be; the log says so once for each state of the files.
    """

    def __init__(self, folder: Path) -> None:
        """Read it; raise ``StartError`` where that can't be done."""
        self._folder = folder
        try:
            self._looks: tuple[_FileState, ...] | None = self._look()
            self._newest = self._read()
        except OSError as error:
            raise StartError(self._complaint(error)) from error

    def context(self) -> ssl.SSLContext:
        """For a server that may run for longer than one certificate holds."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.sni_callback = self._choose
        return context

    def _choose(self, connection: ssl.SSLObject, _name: str | None, _first: ssl.SSLContext) -> None:
        """Called at each handshake, with a name or without."""
        self._follow()
        connection.context = self._newest

    def _follow(self) -> None:
        looks = self._look_if_there()
        if looks == self._looks:
            return
        # Taken before the files are read: what changes meanwhile is read at the next connection.
        self._looks = looks
        try:
            self._newest = self._read()
        except OSError as error:
            log.warning("%s; the certificate that was read before is used further", self._complaint(error))
        else:
            log.info("the certificate in %s has changed and was read again", self._folder)

    def _look(self) -> tuple[_FileState, ...]:
        states = [(self._folder / name).stat() for name in (CERTIFICATE, KEY)]
        return tuple(_FileState(state.st_ino, state.st_size, state.st_mtime_ns) for state in states)

    def _look_if_there(self) -> tuple[_FileState, ...] | None:
        try:
            return self._look()
        except OSError:
            return None

    def _read(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        # With a password at hand nobody is asked for one on a terminal.
        context.load_cert_chain(self._folder / CERTIFICATE, self._folder / KEY, password="")
        return context

    def _complaint(self, error: OSError) -> str:
        why = error.strerror
        if isinstance(error, ssl.SSLError):
            why = f"they are not a certificate and its key without a password ({error.reason or why})"
        return f"{CERTIFICATE} and {KEY} in {self._folder} can't be used: {why}"
