"""Locks between processes. The kernel releases a lock when its holder ends, even after a crash."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, waiting: AbstractContextManager[None]) -> Iterator[None]:
    """Hold the lock file ``path`` during the block.

    If another process holds the lock, wait inside the context manager ``waiting``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with waiting:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
