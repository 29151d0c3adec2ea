"""The certificate of a server; it is read again whenever its files have changed."""

import logging
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from lockstep.process.stores.errors import StartError

log = logging.getLogger(__name__)

CERTIFICATE = "tls.crt"
KEY = "tls.key"


class _FileState(NamedTuple):
    """The state of a file; it differs after every change of the content."""

    inode: int
    size: int
    modified_ns: int


class Certificate:
    """The certificate and key in a folder. Each connection uses the files as they were when it began.

    If new files can't be used, the last usable certificate stays. The error is logged once for each state of the files.
    ``prepare`` is called with each new context, for example to require certificates from clients.
    """

    def __init__(self, folder: Path, prepare: Callable[[ssl.SSLContext], None] = lambda _: None) -> None:
        """Read the files; raises ``StartError`` if they can't be used."""
        self._folder = folder
        self._prepare = prepare
        try:
            self._states: tuple[_FileState, ...] | None = self._file_states()
            self._newest = self._read()
        except OSError as error:
            raise StartError(self._complaint(error)) from error

    def context(self) -> ssl.SSLContext:
        """A context for a server; it follows changes of the certificate."""
        context = self._prepared()
        context.sni_callback = self._choose
        return context

    def _choose(self, connection: ssl.SSLObject, _name: str | None, _first: ssl.SSLContext) -> None:
        """Give a new connection the newest certificate.

        Python calls this at each handshake, with a server name or without.
        """
        self._follow()
        connection.context = self._newest

    def _follow(self) -> None:
        states = self._file_states_if_there()
        if states == self._states:
            return
        # These states are from before the files are read, so the next connection notices a later change.
        self._states = states
        try:
            self._newest = self._read()
        except OSError as error:
            log.warning("%s; the server continues to use the earlier certificate", self._complaint(error))
        else:
            log.info("the certificate in %s has changed and was read again", self._folder)

    def _file_states(self) -> tuple[_FileState, ...]:
        states = [(self._folder / name).stat() for name in (CERTIFICATE, KEY)]
        return tuple(_FileState(state.st_ino, state.st_size, state.st_mtime_ns) for state in states)

    def _file_states_if_there(self) -> tuple[_FileState, ...] | None:
        try:
            return self._file_states()
        except OSError:
            return None

    def _read(self) -> ssl.SSLContext:
        context = self._prepared()
        # A password is given, so that OpenSSL never asks for one on a terminal.
        context.load_cert_chain(self._folder / CERTIFICATE, self._folder / KEY, password="")
        return context

    def _prepared(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._prepare(context)
        return context

    def _complaint(self, error: OSError) -> str:
        why = error.strerror
        if isinstance(error, ssl.SSLError):
            why = f"they must be a certificate and its key, without a password ({error.reason or why})"
        return f"{CERTIFICATE} and {KEY} in {self._folder} can't be used: {why}"
